package io.sluice.benchmark.published;

import io.sluice.benchmark.engine.Medians;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.client.TransportKind;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Table of task times by transport and number of concurrent tasks. */
final class TransportTable {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double PERCENT = 100;
  private static final String TASKS = "tasks";
  private static final String TRANSPORT = "transport";

  private TransportTable() {}

  /** Medians of the rounds, with a row for each number of tasks and transport. */
  static BenchTable of(List<TransportRound> rounds) {
    BenchTable table =
        new BenchTable(
            "netty-report",
            "Concurrent tasks over gRPC and Netty",
            Column.text(TASKS),
            Column.text(TRANSPORT),
            Column.number("completion s", 2),
            Column.number("task s, mean", 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("task s, p99", 2),
            Column.number("less than gRPC, %", 0),
            Column.number("server CPU s", 2),
            Column.number("server resident MiB", 0),
            Column.number("retries", 0));
    for (int tasks : rounds.stream().map(TransportRound::tasks).distinct().sorted().toList()) {
      for (TransportKind transport : TransportKind.values()) {
        List<TransportRound> all = select(rounds, tasks, transport);
        if (!all.isEmpty()) {
          row(table, all, select(rounds, tasks, TransportKind.GRPC));
        }
      }
    }
    return table
        .chart(chart("Mean time of a task", "seconds", "task s, mean"))
        .chart(chart("Time until all tasks have ended", "seconds", "completion s"))
        .chart(chart("Resident memory of the server", "MiB", "server resident MiB"));
  }

  private static Chart chart(String title, String unit, String value) {
    return new Chart(title, unit, Chart.Kind.BARS, TASKS, TRANSPORT, List.of(value));
  }

  private static void row(BenchTable table, List<TransportRound> all, List<TransportRound> grpc) {
    List<Double> means = Medians.sorted(all, TransportTable::meanSeconds);
    TransportRound first = all.get(0);
    boolean isBase = first.transport() == TransportKind.GRPC || grpc.isEmpty();
    double base = isBase ? 0 : Medians.of(grpc, TransportTable::meanSeconds);
    table.row(
        String.format(Locale.ROOT, "%,d", first.tasks()),
        first.transport().name(),
        Medians.of(all, TransportRound::completionSeconds),
        Medians.of(means),
        means.get(0),
        means.get(means.size() - 1),
        Medians.of(all, round -> round.taskUs().getValueAtPercentile(99) / MICROS_PER_SECOND),
        base > 0 ? (Double) (PERCENT * (1 - Medians.of(means) / base)) : null,
        Medians.of(all, TransportRound::serverCpuSeconds),
        highest(all, TransportRound::residentBytes) / BYTES_PER_MIB,
        highest(all, TransportRound::retries));
  }

  private static double meanSeconds(TransportRound round) {
    return round.taskUs().getMean() / MICROS_PER_SECOND;
  }

  private static double highest(List<TransportRound> all, ToDoubleFunction<TransportRound> value) {
    return all.stream().mapToDouble(value).max().orElseThrow();
  }

  private static List<TransportRound> select(
      List<TransportRound> rounds, int tasks, TransportKind transport) {
    return rounds.stream()
        .filter(round -> round.tasks() == tasks && round.transport() == transport)
        .toList();
  }
}
