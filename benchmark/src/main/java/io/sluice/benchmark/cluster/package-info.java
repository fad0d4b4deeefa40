/**
 * Clusters of processes on this machine that benchmarks start, and measurements of these processes.
 *
 * <p>Threads: every class is used by one thread.
 */
package io.sluice.benchmark.cluster;
