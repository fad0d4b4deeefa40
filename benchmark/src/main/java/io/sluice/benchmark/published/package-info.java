/**
 * Experiments of papers and reports about shuffle services, with Sluice: Magnet's pushes and
 * fetches by block size, Uniffle's comparison of gRPC and Netty, and the time and cost of reads by
 * their length. Each starts its own clusters.
 *
 * <p>Threads: as in {@link io.sluice.cli.bench}.
 */
package io.sluice.benchmark.published;
