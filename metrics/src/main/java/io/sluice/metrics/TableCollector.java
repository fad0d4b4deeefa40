package io.sluice.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads a table at each scrape. Thread-safe if the supplier of its rows is. */
public final class TableCollector<S> extends Collector {
  private final MetricTable<S> table;
  private final Supplier<List<S>> rows;

  public TableCollector(MetricTable<S> table, Supplier<List<S>> rows) {
    this.table = table;
    this.rows = rows;
  }

  @Override
  public List<MetricFamilySamples> collect() {
    return families(table, rows.get());
  }

  /** The metric families of a table. A table without rows has families without samples. */
  public static <S> List<MetricFamilySamples> families(MetricTable<S> table, List<S> rows) {
    Map<String, MetricFamilySamples> families = new LinkedHashMap<>();
    table
        .metrics()
        .forEach(
            metric ->
                families.put(
                    metric.name(),
                    switch (metric.kind()) {
                      case COUNTER ->
                          new CounterMetricFamily(metric.name(), metric.help(), metric.labels());
                      case GAUGE ->
                          new GaugeMetricFamily(metric.name(), metric.help(), metric.labels());
                      case HISTOGRAM ->
                          throw new IllegalArgumentException(
                              "a table cannot have the histogram " + metric);
                    }));
    table.read(
        rows,
        (metric, labels, value) -> {
          if (families.get(metric.name()) instanceof CounterMetricFamily counter) {
            counter.addMetric(labels, value);
          } else if (families.get(metric.name()) instanceof GaugeMetricFamily gauge) {
            gauge.addMetric(labels, value);
          }
        });
    return new ArrayList<>(families.values());
  }
}
