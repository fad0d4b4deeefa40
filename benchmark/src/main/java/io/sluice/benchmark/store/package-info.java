/**
 * Benchmarks of the server's store by itself: in this process, without sockets, on the main thread.
 */
package io.sluice.benchmark.store;
