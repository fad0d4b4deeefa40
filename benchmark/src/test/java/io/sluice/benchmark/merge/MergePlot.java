package io.sluice.benchmark.merge;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws the pictures of docs/storage.md from a CSV file of {@code sluice bench merge --csv}.
 * Arguments: CSV file, directory of the pictures.
 */
public final class MergePlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final Color BLUE = new Color(0x1F6FB2);
  private static final Color RED = new Color(0xC0392B);

  /** Figures of the Riffle paper. */
  private static final double RIFFLE_FULL = 40;

  private static final double RIFFLE_BEST_EFFORT = 10;

  /** Columns of {@link MergeRow#csv}. */
  private record Row(
      String policy, double extents, double requests, double readSeconds, double crowdSeconds) {
    static Row parse(String line) {
      String[] cells = line.split(",", -1);
      return new Row(
          cells[0],
          Double.parseDouble(cells[2]),
          Double.parseDouble(cells[4]),
          Double.parseDouble(cells[6]),
          Double.parseDouble(cells[7]));
    }
  }

  private MergePlot() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("expected two arguments: CSV file, directory of the pictures");
      System.exit(2);
    }
    List<Row> rows = new ArrayList<>();
    List<String> lines = Files.readAllLines(Path.of(arguments[0]));
    for (String line : lines.subList(1, lines.size())) {
      rows.add(Row.parse(line));
    }
    Path directory = Files.createDirectories(Path.of(arguments[1]));
    Row base = rows.get(0);
    List<Row> merged = rows.subList(1, rows.size());
    CategoryChart requests = chart("Requests to read everything back", "times fewer than unmerged");
    add(requests, "whole partitions", merged, row -> base.extents / row.extents, BLUE);
    add(requests, "slices of 1 MiB", merged, row -> base.requests / row.requests, RED);
    line(requests, "Riffle, 40-way, all merged", merged, RIFFLE_FULL, Color.BLACK);
    line(requests, "Riffle, best effort", merged, RIFFLE_BEST_EFFORT, Color.GRAY);
    save(requests, directory.resolve("merge-requests.png"));
    CategoryChart time =
        chart("Time to read everything back, by the disk's model", "times faster than unmerged");
    add(time, "one reader", merged, row -> base.readSeconds / row.readSeconds, BLUE);
    add(time, "eight readers", merged, row -> base.crowdSeconds / row.crowdSeconds, RED);
    save(time, directory.resolve("merge-time.png"));
  }

  private interface Value {
    double of(Row row);
  }

  private static CategoryChart chart(String title, String yTitle) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("merged before")
            .yAxisTitle(yTitle)
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setXAxisLabelRotation(30);
    chart.getStyler().setAvailableSpaceFill(0.7);
    return chart;
  }

  private static void add(
      CategoryChart chart, String name, List<Row> rows, Value value, Color color) {
    chart
        .addSeries(
            name, rows.stream().map(Row::policy).toList(), rows.stream().map(value::of).toList())
        .setFillColor(color);
  }

  private static void line(
      CategoryChart chart, String name, List<Row> rows, double value, Color color) {
    CategorySeries series =
        chart.addSeries(
            name,
            rows.stream().map(Row::policy).toList(),
            rows.stream().map(row -> value).toList());
    series.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Line);
    series.setLineColor(color);
    series.setMarker(SeriesMarkers.NONE);
  }

  private static void save(CategoryChart chart, Path picture) throws IOException {
    BitmapEncoder.saveBitmap(chart, picture.toString(), BitmapEncoder.BitmapFormat.PNG);
  }
}
