package io.sluice.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads a table at each scrape. Thread-safe if its source is. */
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

  /** The families of a table; one without a row is there, too, without a sample. */
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
                          throw new IllegalArgumentException(metric + " is no column");
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
