package io.sluice.benchmark.floor;

import io.sluice.benchmark.engine.Medians;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Tables of the costs, and of their ratios in the same rounds. */
final class FloorTable {
  private static final String RATIO = "warm, times";

  private FloorTable() {}

  /**
   * A ratio with its goal.
   *
   * @param name operation
   * @param base name of the base
   * @param goal highest ratio that is acceptable when the server is warm
   */
  private record Ratio(
      String name,
      String base,
      double goal,
      ToDoubleFunction<FloorRound> cost,
      ToDoubleFunction<FloorRound> baseCost) {

    /** Ratios of rounds in which the base has a measurable cost, ascending. */
    List<Double> of(List<FloorRound> rounds) {
      return Medians.sorted(
          rounds.stream().filter(round -> baseCost.applyAsDouble(round) > 0).toList(),
          round -> cost.applyAsDouble(round) / baseCost.applyAsDouble(round));
    }
  }

  private static Ratio ratio(String name, double goal, FloorFigure cost, FloorFigure base) {
    return new Ratio(name, base.label(), goal, round -> round.cpu(cost), round -> round.cpu(base));
  }

  /** TLS: the cost above that in clear text, as a multiple of the cost of the cipher. */
  private static Ratio cipher(String name, FloorFigure tls, FloorFigure clear, FloorFigure cipher) {
    return new Ratio(
        name,
        cipher.label(),
        1.5,
        round -> round.cpu(tls) - round.cpu(clear),
        round -> round.cpu(cipher));
  }

  private static final List<Ratio> RATIOS =
      List.of(
          ratio("push into memory", 1.5, FloorFigure.PUSH_MEMORY, FloorFigure.RECEIVE_CRC),
          new Ratio(
              "push and spill",
              "minimal server: receive, and append the spilled share",
              1.3,
              round -> round.cpu(FloorFigure.PUSH_NETTY),
              FloorRound::receivedAndSpilled),
          ratio("fetch from files", 1.5, FloorFigure.FETCH_NETTY, FloorFigure.SEND),
          ratio("gRPC: push and spill", 1.5, FloorFigure.PUSH_GRPC, FloorFigure.PUSH_NETTY),
          ratio("gRPC: fetch from files", 1.5, FloorFigure.FETCH_GRPC, FloorFigure.FETCH_NETTY),
          cipher(
              "TLS without clear: push and spill",
              FloorFigure.PUSH_TLS,
              FloorFigure.PUSH_NETTY,
              FloorFigure.DECRYPT),
          cipher(
              "TLS without clear: fetch from files",
              FloorFigure.FETCH_TLS,
              FloorFigure.FETCH_NETTY,
              FloorFigure.ENCRYPT));

  /**
   * Server CPU as multiples of their bases; medians of the ratios of rounds.
   *
   * @param firstMs duration of the phase of the first rounds
   */
  static BenchTable ratios(List<FloorRound> rounds, long firstMs) {
    String firstRatio = nameOfFirst(firstMs) + ", times";
    BenchTable table =
        new BenchTable(
            "floor",
            "CPU of servers as multiples of the floor",
            Column.text("operation"),
            Column.text("base"),
            Column.number(firstRatio, 2),
            Column.number(RATIO, 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("goal", 1));
    List<FloorRound> first = rounds.stream().filter(FloorRound::isFirst).toList();
    List<FloorRound> warm = rounds.stream().filter(round -> !round.isFirst()).toList();
    for (Ratio ratio : RATIOS) {
      List<Double> warmRatios = ratio.of(warm);
      table.row(
          ratio.name,
          ratio.base,
          median(ratio.of(first)),
          median(warmRatios),
          warmRatios.isEmpty() ? null : warmRatios.get(0),
          warmRatios.isEmpty() ? null : warmRatios.get(warmRatios.size() - 1),
          ratio.goal);
    }
    return table.chart(
        new Chart(
            "CPU of servers, times the floor",
            "times",
            Chart.Kind.BARS,
            "operation",
            "",
            List.of(firstRatio, RATIO, "goal")));
  }

  private static String nameOfFirst(long firstMs) {
    return "first " + TimeUnit.MILLISECONDS.toSeconds(firstMs) + " s";
  }

  /** CPU seconds per GiB of each operation; parameters as for {@link #ratios}. */
  static BenchTable costs(List<FloorRound> rounds, long firstMs) {
    BenchTable table =
        new BenchTable(
            "floor-costs",
            "CPU seconds per GiB",
            Column.text("operation"),
            Column.number(nameOfFirst(firstMs), 3),
            Column.number("warm", 3),
            Column.number("lowest", 3),
            Column.number("highest", 3));
    for (FloorFigure figure : FloorFigure.values()) {
      List<Double> first = costs(rounds, figure, true);
      List<Double> warm = costs(rounds, figure, false);
      table.row(
          figure.label(),
          median(first),
          median(warm),
          warm.isEmpty() ? null : warm.get(0),
          warm.isEmpty() ? null : warm.get(warm.size() - 1));
    }
    return table;
  }

  private static List<Double> costs(List<FloorRound> rounds, FloorFigure figure, boolean isFirst) {
    return Medians.sorted(
        rounds.stream().filter(round -> round.isFirst() == isFirst).toList(),
        round -> round.cpu(figure));
  }

  private static Double median(List<Double> ascending) {
    return ascending.isEmpty() ? null : (Double) Medians.of(ascending);
  }
}
