/**
 * What the demo runs inside Spark's driver, started as processes of their own: {@link
 * io.sluice.demo.spark.DataDriver} makes the tables of a workload, {@link
 * io.sluice.demo.spark.QueryDriver} runs queries as the demo asks for them, {@link
 * io.sluice.demo.spark.TimedJobDriver} the jobs of a benchmark.
 *
 * <p>Threads: everything but the Spark listeners runs on the main thread.
 */
package io.sluice.demo.spark;
