/**
 * Spark driver programs of the demo, each started as a separate process: {@link
 * io.sluice.demo.spark.DataDriver} generates the tables of a workload, {@link
 * io.sluice.demo.spark.QueryDriver} runs queries, {@link io.sluice.demo.spark.TimedJobDriver} runs
 * the jobs of a benchmark.
 *
 * <p>Threads: all code except the Spark listeners runs on the main thread.
 */
package io.sluice.demo.spark;
