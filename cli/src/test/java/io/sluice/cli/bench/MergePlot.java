package io.sluice.cli.bench;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * Draws the pictures of docs/storage.md from what {@code sluice bench merge --csv} has written.
 * Arguments: the rows' file, the directory of the pictures.
 */
public final class MergePlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final double THOUSAND = 1e3;

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
      System.err.println("expected two arguments: the rows' file and the directory of the pictures");
      System.exit(2);
    }
    List<Row> rows = new ArrayList<>();
    List<String> lines = Files.readAllLines(Path.of(arguments[0]));
    for (String line : lines.subList(1, lines.size())) {
      rows.add(Row.parse(line));
    }
    Path directory = Files.createDirectories(Path.of(arguments[1]));
    CategoryChart requests =
        chart("Requests to read everything back", "requests in thousands", true);
    add(requests, "whole partitions", rows, row -> row.extents / THOUSAND, new Color(0x1F6FB2));
    add(requests, "slices of 1 MiB", rows, row -> row.requests / THOUSAND, new Color(0xC0392B));
    save(requests, directory.resolve("merge-requests.png"));
    CategoryChart time = chart("Time to read everything back, by the disk's model", "seconds", false);
    add(time, "one reader", rows, Row::readSeconds, new Color(0x1F6FB2));
    add(time, "eight readers", rows, Row::crowdSeconds, new Color(0xC0392B));
    save(time, directory.resolve("merge-time.png"));
  }

  private interface Value {
    double of(Row row);
  }

  private static CategoryChart chart(String title, String yTitle, boolean logarithmic) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("merged before")
            .yAxisTitle(yTitle)
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setXAxisLabelRotation(30);
    chart.getStyler().setYAxisLogarithmic(logarithmic);
    chart.getStyler().setAvailableSpaceFill(0.7);
    return chart;
  }

  private static void add(
      CategoryChart chart, String name, List<Row> rows, Value value, Color color) {
    chart
        .addSeries(
            name,
            rows.stream().map(Row::policy).toList(),
            rows.stream().map(value::of).toList())
        .setFillColor(color);
  }

  private static void save(CategoryChart chart, Path picture) throws IOException {
    BitmapEncoder.saveBitmap(chart, picture.toString(), BitmapEncoder.BitmapFormat.PNG);
  }
}
