/**
 * The server's memory for accepted blocks: one off-heap arena of fixed-size slabs, shared fairly by
 * applications. Thread-safe; no I/O and no threads.
 */
package io.sluice.server.memory;
