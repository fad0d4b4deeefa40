package io.sluice.metrics;

import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;

/**
 * Makes what counts and observes where things happen, rather than being read at a scrape. Nothing
 * is registered here.
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
