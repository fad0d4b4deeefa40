package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws a chart as inline SVG. Colors are classes of the page's style sheet, which has light and
 * dark ones: {@code s0} to {@code s5} for series, {@code axis} and {@code grid} for lines.
 */
final class SvgChart {
  private static final int WIDTH = 760;
  private static final int TEXT_WIDTH = 250;
  private static final int VALUE_WIDTH = 70;
  private static final int BAR = 14;
  private static final int GAP = 12;
  private static final int LEGEND = 28;
  private static final int LINES_HEIGHT = 260;
  private static final int AXIS_WIDTH = 90;
  private static final int AXIS_HEIGHT = 30;
  private static final int LABEL_WIDTH = 28;
  private static final int STEPS = 4;
  private static final int COLORS = 6;
  private static final int TEXT_SHIFT = 4;

  private final StringBuilder svg = new StringBuilder();
  private final ChartSeries series;
  private final Chart chart;

  private SvgChart(ChartSeries series, Chart chart) {
    this.series = series;
    this.chart = chart;
  }

  /** Renders a chart of the table; empty if it has no values. */
  static String render(BenchTable table, Chart chart) {
    ChartSeries series = ChartSeries.of(table, chart);
    if (series.highest() <= 0) {
      return "";
    }
    SvgChart drawing = new SvgChart(series, chart);
    switch (chart.kind()) {
      case BARS -> drawing.bars();
      case LINES -> drawing.lines();
    }
    return drawing.svg.toString();
  }

  /** The end of an axis: 1, 2, 2.5 or 5 times a power of ten, at least {@code value}. */
  static double end(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      // Rounding of the power must not lead to the next factor.
      if (value <= factor * power * (1 + 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private void begin(int height) {
    append(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
        WIDTH, height, Html.escape(chart.title()));
    int x = 0;
    int index = 0;
    for (String name : series.values().keySet()) {
      append(
          "<rect class=\"s%d\" x=\"%d\" y=\"4\" width=\"12\" height=\"12\"/>%n",
          index++ % COLORS, x);
      text(x + 18, 14, "start", name);
      x += 40 + 8 * name.length();
    }
  }

  private void bars() {
    int perLabel = series.values().size() * BAR + GAP;
    int height = LEGEND + series.labels().size() * perLabel + AXIS_HEIGHT;
    double end = end(series.highest());
    double scale = (WIDTH - TEXT_WIDTH - VALUE_WIDTH) / end;
    begin(height);
    int bottom = height - AXIS_HEIGHT;
    for (int i = 0; i <= STEPS; i++) {
      double x = TEXT_WIDTH + end * i / STEPS * scale;
      line("grid", x, LEGEND, x, bottom);
      text(x, bottom + 18, "middle", mark(end, i));
    }
    for (int label = 0; label < series.labels().size(); label++) {
      double top = LEGEND + label * perLabel + GAP / 2.0;
      text(
          TEXT_WIDTH - 8,
          top + (perLabel - GAP) / 2.0 + TEXT_SHIFT,
          "end",
          series.labels().get(label));
      int index = 0;
      for (Map.Entry<String, List<Double>> one : series.values().entrySet()) {
        bar(one.getKey(), index, one.getValue().get(label), top + index * BAR, scale);
        index++;
      }
    }
    svg.append("</svg>\n");
  }

  /** Text at a step of an axis; the last one has the unit. */
  private String mark(double end, int step) {
    return number(end * step / STEPS) + (step == STEPS ? " " + chart.unit() : "");
  }

  private void bar(String name, int index, Double value, double y, double scale) {
    if (value == null) {
      return;
    }
    double length = Math.max(0, value * scale);
    append(
        "<rect class=\"s%d\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\">"
            + "<title>%s: %s</title></rect>%n",
        index % COLORS, TEXT_WIDTH, y, length, BAR - 2, Html.escape(name), number(value));
    text(TEXT_WIDTH + length + 6, y + BAR - TEXT_SHIFT, "start", number(value));
  }

  private void lines() {
    double end = end(series.highest());
    int bottom = LEGEND + LINES_HEIGHT;
    begin(bottom + AXIS_HEIGHT);
    double scale = LINES_HEIGHT / end;
    for (int i = 0; i <= STEPS; i++) {
      double y = bottom - end * i / STEPS * scale;
      line("grid", AXIS_WIDTH, y, WIDTH, y);
      text(AXIS_WIDTH - 8, y + TEXT_SHIFT, "end", mark(end, i));
    }
    double step = (WIDTH - AXIS_WIDTH) / (double) series.labels().size();
    // Not every label if they are too close to be read.
    int between = (int) Math.ceil(LABEL_WIDTH / step);
    for (int label = 0; label < series.labels().size(); label += between) {
      text(x(label, step), bottom + 18, "middle", series.labels().get(label));
    }
    int index = 0;
    for (Map.Entry<String, List<Double>> one : series.values().entrySet()) {
      line(one.getKey(), index++, one.getValue(), step, bottom, scale);
    }
    svg.append("</svg>\n");
  }

  private static double x(int label, double step) {
    return AXIS_WIDTH + (label + 0.5) * step;
  }

  private void line(
      String name, int index, List<Double> values, double step, int bottom, double scale) {
    StringBuilder points = new StringBuilder();
    StringBuilder marks = new StringBuilder();
    for (int label = 0; label < values.size(); label++) {
      Double value = values.get(label);
      if (value != null) {
        double y = bottom - value * scale;
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(label, step), y));
        marks.append(
            String.format(
                Locale.ROOT,
                "<circle class=\"s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s: %s</title>"
                    + "</circle>%n",
                index % COLORS,
                x(label, step),
                y,
                Html.escape(name),
                number(value)));
      }
    }
    append("<polyline class=\"l%d\" points=\"%s\"/>%n", index % COLORS, points.toString().strip());
    svg.append(marks);
  }

  private void line(String style, double x1, double y1, double x2, double y2) {
    append(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
        style, x1, y1, x2, y2);
  }

  private void text(double x, double y, String anchor, String text) {
    append(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
        x, y, anchor, Html.escape(text));
  }

  /** A number with three digits at least. */
  private static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }

  private void append(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values));
  }
}
