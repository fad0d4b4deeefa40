/**
 * The few calls that look different in different versions of Spark, behind one interface. {@link
 * io.sluice.spark.compat.PlainSparkApi} is for Spark 3.5 and 4.0; the jar for Spark 4 holds another
 * one for 4.1 and later, compiled against those in {@code client-spark/spark-4.1-api}. Everything
 * else of the plugin is compiled once per jar and runs on every version that the jar is for.
 * Stateless; thread-safe.
 */
package io.sluice.spark.compat;
