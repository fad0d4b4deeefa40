/**
 * The demo: runs TPC-H or TPC-DS on a real Spark, or terasort and similar programs on a real YARN,
 * each query or program with the engine's built-in shuffle and then through Sluice, and compares
 * every row.
 *
 * <p>Threads: the main thread waits for the processes that it starts; one daemon thread for each
 * process reads its output.
 */
package io.sluice.demo;
