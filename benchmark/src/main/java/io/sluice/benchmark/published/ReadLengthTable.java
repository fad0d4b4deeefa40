package io.sluice.benchmark.published;

import io.sluice.benchmark.engine.Medians;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Table of reads by their length and method. */
final class ReadLengthTable {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final String LENGTH = "read length";
  private static final String METHOD = "method";
  private static final String DESERIALIZATION = "deserialization, % of time";

  private ReadLengthTable() {}

  /** Medians of the rounds, with a row for each length and method. */
  static BenchTable of(List<ReadLengthRound> rounds) {
    BenchTable table =
        new BenchTable(
            "read-length",
            "Reads by their length",
            Column.text(LENGTH),
            Column.text(METHOD),
            Column.number("seconds", 2),
            Column.number("GiB/s", 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("fetches", 0),
            Column.number("ms of a fetch", 2),
            Column.number(DESERIALIZATION, 0),
            Column.number("client CPU s/GiB", 3),
            Column.number("server CPU s/GiB", 3),
            Column.number("from files, MiB", 0));
    for (int length : rounds.stream().map(ReadLengthRound::length).distinct().sorted().toList()) {
      for (boolean isShortCircuit : new boolean[] {false, true}) {
        List<ReadLengthRound> all =
            rounds.stream()
                .filter(round -> round.length() == length)
                .filter(round -> round.isShortCircuit() == isShortCircuit)
                .toList();
        if (!all.isEmpty()) {
          row(table, all);
        }
      }
    }
    return table
        .chart(chart("Throughput", "GiB/s", "GiB/s"))
        .chart(chart("Time of a fetch", "ms", "ms of a fetch"))
        .chart(chart("CPU of the server", "s/GiB", "server CPU s/GiB"))
        .chart(chart("Deserialization, share of the time", "%", DESERIALIZATION))
        .chart(chart("CPU of the client", "s/GiB", "client CPU s/GiB"));
  }

  private static Chart chart(String title, String unit, String value) {
    return new Chart(title, unit, Chart.Kind.LINES, LENGTH, METHOD, List.of(value));
  }

  private static void row(BenchTable table, List<ReadLengthRound> all) {
    List<Double> throughput = Medians.sorted(all, ReadLengthRound::gibPerSecond);
    ReadLengthRound first = all.get(0);
    table.row(
        new DataSize(first.length()).toRoundedText(),
        first.isShortCircuit() ? "short circuit" : "fetch",
        median(all, ReadLengthRound::seconds),
        Medians.of(throughput),
        throughput.get(0),
        throughput.get(throughput.size() - 1),
        median(all, round -> round.counters().requests().fetches()),
        median(all, ReadLengthRound::fetchMs),
        median(all, ReadLengthRound::deserializationPercent),
        median(all, ReadLengthRound::clientCpuPerGib),
        median(all, ReadLengthRound::serverCpuPerGib),
        median(all, round -> round.counters().files().bytes() / BYTES_PER_MIB));
  }

  private static double median(List<ReadLengthRound> all, ToDoubleFunction<ReadLengthRound> value) {
    return Medians.of(all, value);
  }
}
