/**
 * Benchmarks for development, which the distribution does not have: {@code ./sluice bench NAME} in
 * a checkout. The commands use the options, the transport and the output of {@code
 * io.sluice.cli.bench}. No other module may depend on this one.
 */
package io.sluice.benchmark;
