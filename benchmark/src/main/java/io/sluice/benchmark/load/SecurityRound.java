package io.sluice.benchmark.load;

import io.sluice.cli.TextTable;
import io.sluice.cli.bench.BenchReport;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** What pushing and fetching the same bytes once took. */
record SecurityRound(Cost push, Cost fetch) {
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * For each GiB.
   *
   * @param serverCpuSeconds of all servers together
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

  /** Medians of each kind, and in brackets how many times the first kind's they are. */
  static TextTable table(Map<Protection, List<SecurityRound>> measured) {
    TextTable table =
        new TextTable(
            "protected by",
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
                kind.words(),
                cell(rounds, base, round -> round.push().seconds()),
                cell(rounds, base, round -> round.push().clientCpuSeconds()),
                cell(rounds, base, round -> round.push().serverCpuSeconds()),
                cell(rounds, base, round -> round.fetch().seconds()),
                cell(rounds, base, round -> round.fetch().clientCpuSeconds()),
                cell(rounds, base, round -> round.fetch().serverCpuSeconds())));
    return table;
  }

  /** Server CPU of each kind against the first kind, from rounds that were measured in turn. */
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
                  kind.getKey().words(),
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
    // A clock of CPU time may be too coarse for little data.
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
