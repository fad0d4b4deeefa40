package io.sluice.metrics;

import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;

/**
 * Creates counters and histograms that are updated when an event happens, not read at a scrape.
 * They are not registered here.
 */
public final class Instruments {
  private Instruments() {}

  public static Counter counter(Metric metric) {
    return Counter.build(metric.name(), metric.help()).labelNames(labels(metric)).create();
  }

  public static Histogram histogram(Metric metric) {
    return Histogram.build(metric.name(), metric.help())
        .labelNames(labels(metric))
        .buckets(metric.buckets().stream().mapToDouble(Double::doubleValue).toArray())
        .create();
  }

  private static String[] labels(Metric metric) {
    return metric.labels().toArray(new String[0]);
  }
}
