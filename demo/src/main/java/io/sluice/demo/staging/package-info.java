/**
 * Processes and data of a run: the directory of the run, Sluice's cluster, drivers of Spark, YARN,
 * and input data that is made once and kept.
 *
 * <p>Knows the engines only as processes that it starts; the programs in them are in the modules
 * {@code demo/driver} and {@code demo/mapreduce}. Threads: everything runs on the caller's thread,
 * except one reader for each driver's output and the shutdown hook.
 */
package io.sluice.demo.staging;
