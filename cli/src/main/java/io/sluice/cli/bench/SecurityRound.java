package io.sluice.cli.bench;

import io.sluice.cli.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
