package io.sluice.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Metrics that are read from sources of one type: one metric per column, one sample per row.
 *
 * @param <S> type of a row, such as a disk
 */
public final class MetricTable<S> {
  /** Receives samples. */
  public interface Sink {
    /**
     * Receives a sample.
     *
     * @param labelValues one value per label of the metric
     */
    void sample(Metric metric, List<String> labelValues, double value);
  }

  private record Column<S>(Metric metric, ToDoubleFunction<S> value) {}

  private final List<Column<S>> columns;
  private final Function<S, List<String>> labelValues;

  private MetricTable(List<Column<S>> columns, Function<S, List<String>> labelValues) {
    this.columns = List.copyOf(columns);
    this.labelValues = labelValues;
  }

  /** A table with one row, without labels. */
  public static <S> Builder<S> of(String prefix) {
    return new Builder<>(prefix, List.of(), unused -> List.of());
  }

  /**
   * A table with any number of rows.
   *
   * @param labels labels that identify a row
   */
  public static <S> Builder<S> of(
      String prefix, List<String> labels, Function<S, List<String>> labelValues) {
    return new Builder<>(prefix, labels, labelValues);
  }

  public List<Metric> metrics() {
    return columns.stream().map(Column::metric).toList();
  }

  /** Passes every sample to {@code sink}, metric by metric. */
  public void read(List<S> rows, Sink sink) {
    List<List<String>> labels = rows.stream().map(labelValues).toList();
    for (Column<S> column : columns) {
      for (int i = 0; i < rows.size(); i++) {
        sink.sample(column.metric, labels.get(i), column.value.applyAsDouble(rows.get(i)));
      }
    }
  }

  /** Collects columns. Confined to one thread. */
  public static final class Builder<S> {
    private final String prefix;
    private final String[] labels;
    private final Function<S, List<String>> labelValues;
    private final List<Column<S>> columns = new ArrayList<>();

    private Builder(String prefix, List<String> labels, Function<S, List<String>> labelValues) {
      this.prefix = prefix;
      this.labels = labels.toArray(new String[0]);
      this.labelValues = labelValues;
    }

    /**
     * A counter.
     *
     * @param name name without the prefix
     */
    public Builder<S> counter(String name, String help, ToDoubleFunction<S> value) {
      columns.add(new Column<>(Metric.counter(prefix + name, help, labels), value));
      return this;
    }

    /**
     * A gauge.
     *
     * @param name name without the prefix
     */
    public Builder<S> gauge(String name, String help, ToDoubleFunction<S> value) {
      columns.add(new Column<>(Metric.gauge(prefix + name, help, labels), value));
      return this;
    }

    public MetricTable<S> build() {
      return new MetricTable<>(Collections.unmodifiableList(columns), labelValues);
    }
  }
}
