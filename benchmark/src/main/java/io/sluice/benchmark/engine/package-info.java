/**
 * Benchmarks of jobs on Spark and on Hadoop MapReduce: CPU time, elapsed time and bytes with the
 * engine's built-in shuffle and through Sluice.
 *
 * <p>Threads: as in {@link io.sluice.demo}, whose commands are the base of these.
 */
package io.sluice.benchmark.engine;
