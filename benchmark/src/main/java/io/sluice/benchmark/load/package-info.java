/**
 * Load on running servers, measured from outside: reads with and without short circuit, a huge
 * partition beside small ones, and the cost of authentication and TLS.
 *
 * <p>Threads: as in {@link io.sluice.cli.bench}.
 */
package io.sluice.benchmark.load;
