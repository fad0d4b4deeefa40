/**
 * One interface over the few Spark calls that differ between versions. {@link
 * io.sluice.spark.compat.PlainSparkApi} is for Spark 3.4, 3.5 and 4.0, {@link
 * io.sluice.spark.compat.Spark33Api} for 3.3. The jar for Spark 4 also contains an implementation
 * for 4.1 and later, compiled in {@code client-spark/spark-4.1-api}. The rest of the plugin is
 * compiled once per jar and runs on every Spark version that the jar supports; {@link
 * io.sluice.spark.compat.ClientJar} knows which jar that is. Stateless; thread-safe.
 */
package io.sluice.spark.compat;
