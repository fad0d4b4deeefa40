package io.sluice.coordinator.assign;

import io.sluice.coordinator.assign.BalanceSimulation.Outcome;
import io.sluice.coordinator.assign.BalanceSimulation.Setup;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws the picture of docs/assignment.md and prints the figures of its table. Argument: the
 * picture's file, ending in .png.
 */
public final class BalancePlot {
  private static final long SEED = 1;
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;

  private static final Map<StrategyKind, Color> COLORS =
      Map.of(
          StrategyKind.RANDOM,
          new Color(0xC0392B),
          StrategyKind.LEAST_LOADED,
          new Color(0x7F8C8D),
          StrategyKind.TWO_CHOICES,
          new Color(0x1F6FB2));
  private static final List<StrategyKind> DRAWN =
      List.of(StrategyKind.RANDOM, StrategyKind.LEAST_LOADED, StrategyKind.TWO_CHOICES);

  private BalancePlot() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1 || !arguments[0].endsWith(".png")) {
      System.err.println("expected one argument, the picture's file, ending in .png");
      System.exit(2);
    }
    table(System.out);
    Path picture = Path.of(arguments[0]);
    Files.createDirectories(picture.toAbsolutePath().getParent());
    BitmapEncoder.saveBitmap(chart(), picture.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static XYChart chart() {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(
                "100 servers after 10,000 shuffles of Zipf sizes, heartbeats and bytes 100"
                    + " shuffles late")
            .xAxisTitle("server, the fullest first")
            .yAxisTitle("bytes / mean")
            .build();
    chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setYAxisDecimalPattern("0.00");
    chart.getStyler().setXAxisMin(1.0);
    chart.getStyler().setXAxisMax((double) BalanceSimulation.SERVERS);
    double[] positions = new double[BalanceSimulation.SERVERS];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = i + 1;
    }
    for (StrategyKind kind : DRAWN) {
      Outcome outcome = run(BalanceSetups.late(SEED), kind);
      double mean =
          outcome.sortedUnits().stream().mapToDouble(Double::doubleValue).average().orElseThrow();
      double[] relative =
          outcome.sortedUnits().stream().mapToDouble(units -> units / mean).toArray();
      String label =
          String.format(Locale.ROOT, "%s (max %.2f)", name(kind), outcome.finalMaxOverMean());
      chart
          .addSeries(label, positions, relative)
          .setMarker(SeriesMarkers.NONE)
          .setLineColor(COLORS.get(kind))
          .setLineStyle(new BasicStroke(2));
    }
    chart
        .addSeries("ideal", new double[] {1, BalanceSimulation.SERVERS}, new double[] {1, 1})
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(Color.BLACK)
        .setLineStyle(
            new BasicStroke(
                1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 1, new float[] {4, 4}, 0));
    return chart;
  }

  private static void table(PrintStream out) {
    out.println("| experiment | one random choice | two choices | least loaded |");
    out.println("| --- | --- | --- | --- |");
    row(out, "equal parts, one server each, loads known at once", BalanceSetups.equal(SEED));
    row(out, "Zipf sizes, loads known at once", BalanceSetups.fresh(SEED));
    row(out, "Zipf sizes, heartbeats and bytes 100 shuffles late", BalanceSetups.late(SEED));
    row(out, "Zipf sizes, heartbeats 10 and bytes 200 shuffles late", BalanceSetups.veryLate(SEED));
    row(out, "as the third, two replicas in one zone", BalanceSetups.late(SEED).in(1, 2));
    row(
        out,
        "as the third, two replicas in distinct ones of four zones",
        BalanceSetups.late(SEED).in(4, 2));
  }

  private static void row(PrintStream out, String experiment, Setup setup) {
    StringBuilder line = new StringBuilder("| " + experiment + " |");
    for (StrategyKind kind :
        List.of(StrategyKind.RANDOM, StrategyKind.TWO_CHOICES, StrategyKind.LEAST_LOADED)) {
      Outcome outcome = run(setup, kind);
      line.append(
          String.format(
              Locale.ROOT,
              " %.3f (%.1f) |",
              outcome.finalMaxOverMean(),
              outcome.finalGapInParts()));
    }
    out.println(line);
  }

  private static Outcome run(Setup setup, StrategyKind kind) {
    return new BalanceSimulation(setup.with(kind)).run();
  }

  private static String name(StrategyKind kind) {
    return switch (kind) {
      case RANDOM -> "one random choice";
      case TWO_CHOICES -> "the better of two";
      case LEAST_LOADED -> "the least loaded";
    };
  }
}
