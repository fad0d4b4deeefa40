/**
 * Comparison of an engine's built-in shuffle with Sluice: the command that stages a run, and tables
 * of results. Shared by the demo and the benchmarks of engines.
 *
 * <p>Threads: everything runs on the caller's thread. Depends on {@link io.sluice.demo.staging}.
 */
package io.sluice.demo.comparison;
