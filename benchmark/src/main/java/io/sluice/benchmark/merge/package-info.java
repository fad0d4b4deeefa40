/**
 * Benchmark of merging run files, on an emulated disk or on real files, in one process without
 * sockets. Threads: the main thread and the threads of the merger.
 */
package io.sluice.benchmark.merge;
