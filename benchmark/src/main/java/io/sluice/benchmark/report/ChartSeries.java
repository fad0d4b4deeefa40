package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Numbers of a chart.
 *
 * @param labels labels of the axis, in the order of the table
 * @param values by the name of the series: a number for each label, or null
 */
record ChartSeries(List<String> labels, Map<String, List<Double>> values) {

  /**
   * Takes the numbers of a table. Where it has several rows for a label and a series, a label also
   * has the values of other columns, before that of the series, in which rows differ.
   */
  static ChartSeries of(BenchTable table, Chart chart) {
    List<Integer> key = new ArrayList<>(List.of(table.column(chart.labels())));
    if (hasRepeatedLabels(table, chart)) {
      for (int column = 0; column < table.column(chart.by()); column++) {
        if (!key.contains(column) && isVaried(table, column)) {
          key.add(column);
        }
      }
    }
    List<String> ofRows = table.rows().stream().map(row -> label(table, row, key)).toList();
    List<String> labels = List.copyOf(new LinkedHashSet<>(ofRows));
    Map<String, List<Double>> values = new LinkedHashMap<>();
    for (int i = 0; i < ofRows.size(); i++) {
      List<Object> row = table.rows().get(i);
      int label = labels.indexOf(ofRows.get(i));
      for (String column : chart.values()) {
        String series = chart.by().isEmpty() ? column : text(table, row, table.column(chart.by()));
        List<Double> numbers =
            values.computeIfAbsent(
                series, name -> new ArrayList<>(Collections.nCopies(labels.size(), null)));
        if (row.get(table.column(column)) instanceof Number number) {
          numbers.set(label, number.doubleValue());
        }
      }
    }
    return new ChartSeries(labels, values);
  }

  private static boolean hasRepeatedLabels(BenchTable table, Chart chart) {
    if (chart.by().isEmpty()) {
      return false;
    }
    List<Integer> key = List.of(table.column(chart.labels()), table.column(chart.by()));
    return table.rows().stream().map(row -> label(table, row, key)).distinct().count()
        < table.rows().size();
  }

  private static boolean isVaried(BenchTable table, int column) {
    return table.rows().stream().map(row -> row.get(column)).distinct().count() > 1;
  }

  private static String label(BenchTable table, List<Object> row, List<Integer> columns) {
    return columns.stream()
        .map(column -> text(table, row, column))
        .collect(Collectors.joining(", "));
  }

  private static String text(BenchTable table, List<Object> row, int column) {
    return table.columns().get(column).format(row.get(column));
  }

  /** Highest value; 0 without values. */
  double highest() {
    return values.values().stream()
        .flatMap(List::stream)
        .filter(value -> value != null)
        .mapToDouble(Double::doubleValue)
        .max()
        .orElse(0);
  }
}
