package io.sluice.benchmark.load;

import io.sluice.benchmark.engine.PairedRatio;
import io.sluice.cli.TextTable;
import io.sluice.cli.bench.BenchReport;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Cost of pushing and fetching the same bytes once. */
record SecurityRound(Cost push, Cost fetch) {
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Cost per GiB.
   *
   * @param serverCpuSeconds CPU time of all servers
   */
  record Cost(double seconds, double clientCpuSeconds, double serverCpuSeconds) {
    static Cost of(BenchReport report) {
      double gib = report.movedBytes() / BYTES_PER_GIB;
      return new Cost(
          report.seconds() / gib,
          report.clientCpuNanos() / NANOS_PER_SECOND / gib,
          report.serverCpuSeconds() / gib);
    }
  }

  /** Table of the medians of each setting, with their ratio to the first setting in parentheses. */
  static TextTable table(Map<Protection, List<SecurityRound>> measured) {
    TextTable table =
        new TextTable(
            "security",
            ">push s/GiB",
            ">client CPU s/GiB",
            ">server CPU s/GiB",
            ">fetch s/GiB",
            ">client CPU s/GiB",
            ">server CPU s/GiB");
    List<SecurityRound> base = measured.values().iterator().next();
    measured.forEach(
        (kind, rounds) ->
            table.row(
                kind.label(),
                cell(rounds, base, round -> round.push().seconds()),
                cell(rounds, base, round -> round.push().clientCpuSeconds()),
                cell(rounds, base, round -> round.push().serverCpuSeconds()),
                cell(rounds, base, round -> round.fetch().seconds()),
                cell(rounds, base, round -> round.fetch().clientCpuSeconds()),
                cell(rounds, base, round -> round.fetch().serverCpuSeconds())));
    return table;
  }

  /**
   * Table of the server CPU time of each setting relative to the first one, from pairs of rounds.
   */
  static TextTable serverCpuRatios(Map<Protection, List<SecurityRound>> measured) {
    TextTable table = new TextTable("server CPU of", ">push", ">at most", ">fetch", ">at most");
    List<SecurityRound> base = measured.values().iterator().next();
    measured.entrySet().stream()
        .skip(1)
        .forEach(
            kind -> {
              PairedRatio push = ratio(kind.getValue(), base, SecurityRound::push);
              PairedRatio fetch = ratio(kind.getValue(), base, SecurityRound::fetch);
              table.row(
                  kind.getKey().label(),
                  times(push.mean()),
                  times(push.upperBound()),
                  times(fetch.mean()),
                  times(fetch.upperBound()));
            });
    return table;
  }

  private static PairedRatio ratio(
      List<SecurityRound> rounds, List<SecurityRound> base, Function<SecurityRound, Cost> cost) {
    return PairedRatio.of(serverCpu(rounds, cost), serverCpu(base, cost));
  }

  private static double[] serverCpu(
      List<SecurityRound> rounds, Function<SecurityRound, Cost> cost) {
    return rounds.stream().mapToDouble(round -> cost.apply(round).serverCpuSeconds()).toArray();
  }

  private static String times(double ratio) {
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.3f", ratio) : "-";
  }

  private static String cell(
      List<SecurityRound> rounds,
      List<SecurityRound> base,
      ToDoubleFunction<SecurityRound> figure) {
    double value = median(rounds, figure);
    double first = median(base, figure);
    // For little data, the measured CPU time may be zero.
    return first > 0
        ? String.format(Locale.ROOT, "%.2f (%.2f)", value, value / first)
        : String.format(Locale.ROOT, "%.2f (-)", value);
  }

  private static double median(List<SecurityRound> rounds, ToDoubleFunction<SecurityRound> figure) {
    double[] ascending = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = ascending.length / 2;
    return ascending.length % 2 == 1
        ? ascending[middle]
        : (ascending[middle - 1] + ascending[middle]) / 2;
  }
}
