/**
 * The demo: runs TPC-H or TPC-DS on a real Spark, or terasort and its like on a real YARN, each
 * query or program with the engine's built-in shuffle and then through Sluice, and compares every
 * row. Also the benchmarks that do so. Knows the engines only as processes that it starts; the
 * programs in them are in the modules {@code demo/driver} and {@code demo/mapreduce}.
 *
 * <p>Threads: everything runs on the caller's thread, except one reader for each driver's output
 * and the shutdown hook.
 */
package io.sluice.demo;
