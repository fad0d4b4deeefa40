package io.sluice.spark.compat;

import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/** Spark 3.3. */
final class Spark33Api extends PlainSparkApi {
  @Override
  public void addRemoteRequestMs(ShuffleReadMetricsReporter metrics, long ms) {
    // Spark 3.3 has no such metric.
  }
}
