/**
 * Benchmarks of coordinators and servers: a huge partition beside small ones, the cost of
 * authentication and TLS, deletion, memory of metadata. {@link io.sluice.benchmark.load.Benchmarks}
 * lists all benchmarks for {@code sluice bench}.
 *
 * <p>Threads: as in {@link io.sluice.cli.bench}.
 */
package io.sluice.benchmark.load;
