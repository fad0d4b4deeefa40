/**
 * Processes and data of a run: the directory of the run, Sluice's cluster, Spark drivers, YARN, and
 * input data that is generated once and kept.
 *
 * <p>Starts the engines as processes; their programs are in the modules {@code demo/driver} and
 * {@code demo/mapreduce}. Threads: everything runs on the caller's thread, except one reader for
 * each driver's output and the shutdown hook.
 */
package io.sluice.demo.staging;
