package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Numbers of a chart.
 *
 * @param labels labels of the axis, in the order of the table
 * @param values by the name of the series: a number for each label, or null
 */
record ChartSeries(List<String> labels, Map<String, List<Double>> values) {

  static ChartSeries of(BenchTable table, Chart chart) {
    int labelColumn = table.column(chart.labels());
    List<String> labels =
        new ArrayList<>(
            new LinkedHashSet<>(
                table.rows().stream().map(row -> text(table, row, labelColumn)).toList()));
    Map<String, List<Double>> values = new LinkedHashMap<>();
    for (List<Object> row : table.rows()) {
      int label = labels.indexOf(text(table, row, labelColumn));
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
