/**
 * The demo: runs TPC-H or TPC-DS on Spark, or terasort and similar programs on YARN. Each query or
 * program runs with the engine's built-in shuffle and through Sluice, and every row is compared.
 *
 * <p>Threads: the main thread waits for the processes that it starts; one daemon thread for each
 * process reads its output.
 */
package io.sluice.demo;
