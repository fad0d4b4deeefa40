package io.sluice.benchmark.load;

import io.sluice.benchmark.engine.Medians;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Table of the costs of new processes with and without the class data archive. */
final class StartTable {
  private static final double BYTES_PER_MIB = 1 << 20;

  private StartTable() {}

  /**
   * Measurements of one start.
   *
   * @param startSeconds time until the server is registered with the coordinator
   * @param startCpuSeconds CPU time of the server in this time
   * @param pushCpuSeconds CPU time of the server during the first push
   * @param fetchCpuSeconds CPU time of the server during the first fetch
   * @param residentBytes resident memory of the server after both
   */
  record Round(
      double startSeconds,
      double startCpuSeconds,
      double pushSeconds,
      double pushCpuSeconds,
      double fetchSeconds,
      double fetchCpuSeconds,
      long residentBytes) {}

  /** Medians of the rounds and their ratio, with a row for each cost. */
  static BenchTable of(List<Round> without, List<Round> with) {
    BenchTable table =
        new BenchTable(
            "start",
            "New processes with and without the class data archive",
            Column.text("cost"),
            Column.number("without archive", 2),
            Column.number("with archive", 2),
            Column.number("times", 2));
    row(table, "start of coordinator and server, s", without, with, Round::startSeconds);
    row(table, "start, server CPU s", without, with, Round::startCpuSeconds);
    row(table, "first push, s", without, with, Round::pushSeconds);
    row(table, "first push, server CPU s", without, with, Round::pushCpuSeconds);
    row(table, "first fetch, s", without, with, Round::fetchSeconds);
    row(table, "first fetch, server CPU s", without, with, Round::fetchCpuSeconds);
    row(
        table,
        "start, push and fetch, server CPU s",
        without,
        with,
        round -> round.startCpuSeconds() + round.pushCpuSeconds() + round.fetchCpuSeconds());
    row(
        table,
        "resident memory of the server, MiB",
        without,
        with,
        round -> round.residentBytes() / BYTES_PER_MIB);
    return table;
  }

  private static void row(
      BenchTable table,
      String cost,
      List<Round> without,
      List<Round> with,
      ToDoubleFunction<Round> value) {
    double base = Medians.of(without, value);
    double now = Medians.of(with, value);
    table.row(cost, base, now, base > 0 ? (Double) (now / base) : null);
  }
}
