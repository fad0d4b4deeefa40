/**
 * The server's memory for accepted blocks: one off-heap arena of fixed slabs, and who may take how
 * much of it. Thread-safe; no I/O and no threads of its own.
 */
package io.sluice.server.memory;
