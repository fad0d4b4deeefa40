package io.sluice.benchmark.published;

import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.engine.Medians;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Tables of pushes and fetches by block size, and of the server's memory. */
final class MagnetTable {
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double MICROS_PER_MS = 1000;
  private static final String BLOCK = "block";

  private MagnetTable() {}

  /**
   * Medians of the rounds, one row for each block size.
   *
   * @param rounds by the payload bytes of a block
   * @param operation push or fetch of a round
   */
  static BenchTable costs(
      String name,
      String title,
      Map<Integer, List<MagnetRound>> rounds,
      Function<MagnetRound, BenchReport> operation) {
    BenchTable table =
        new BenchTable(
            name,
            title,
            Column.text(BLOCK),
            Column.number("GiB/s", 2),
            Column.number("client CPU s/GiB", 2),
            Column.number("server CPU s/GiB", 2),
            Column.number("lowest", 2),
            Column.number("highest", 2),
            Column.number("times the largest", 2),
            Column.number("p50 ms", 1),
            Column.number("p99 ms", 1));
    int largest = rounds.keySet().stream().mapToInt(Integer::intValue).max().orElseThrow();
    List<Double> base = serverCpu(rounds.get(largest), operation);
    rounds.forEach(
        (block, all) -> {
          List<BenchReport> reports = all.stream().map(operation).toList();
          List<Double> cpu = serverCpu(all, operation);
          table.row(
              new DataSize(block).toRoundedText(),
              Medians.of(reports, MagnetRound::gibPerSecond),
              Medians.of(reports, MagnetRound::clientCpuPerGib),
              Medians.of(cpu),
              cpu.get(0),
              cpu.get(cpu.size() - 1),
              Medians.of(base) > 0 ? (Double) (Medians.of(cpu) / Medians.of(base)) : null,
              Medians.of(reports, report -> percentileMs(report, 50)),
              Medians.of(reports, report -> percentileMs(report, 99)));
        });
    return table
        .chart(chart(title + ": throughput", "GiB/s", "GiB/s"))
        .chart(chart(title + ": CPU time", "s/GiB", "client CPU s/GiB", "server CPU s/GiB"));
  }

  private static Chart chart(String title, String unit, String... values) {
    return new Chart(title, unit, Chart.Kind.BARS, BLOCK, "", List.of(values));
  }

  private static List<Double> serverCpu(
      List<MagnetRound> rounds, Function<MagnetRound, BenchReport> operation) {
    return Medians.sorted(rounds, round -> MagnetRound.serverCpuPerGib(operation.apply(round)));
  }

  private static double percentileMs(BenchReport report, double percentile) {
    return report.latencyUs().getValueAtPercentile(percentile) / MICROS_PER_MS;
  }

  /**
   * Highest resident memory of all rounds, its parts and its limit.
   *
   * @param maxRest maximum resident memory besides buffer and heap
   */
  static BenchTable memory(
      Map<Integer, List<MagnetRound>> rounds, ServerShape shape, DataSize maxRest) {
    BenchTable table =
        new BenchTable(
            "magnet-memory",
            "Resident memory of the server, highest of all rounds",
            Column.text(BLOCK),
            Column.number("resident MiB", 0),
            Column.number("buffer MiB", 0),
            Column.number("heap MiB", 0),
            Column.number("rest MiB", 0),
            Column.number("limit MiB", 0));
    rounds.forEach(
        (block, all) ->
            table.row(
                new DataSize(block).toRoundedText(),
                peak(all) / BYTES_PER_MIB,
                shape.bufferBytes() / BYTES_PER_MIB,
                shape.heapBytes() / BYTES_PER_MIB,
                rest(all, shape) / BYTES_PER_MIB,
                (shape.bufferBytes() + shape.heapBytes() + maxRest.bytes()) / BYTES_PER_MIB));
    return table.chart(
        chart("Resident memory of the server", "MiB", "buffer MiB", "heap MiB", "rest MiB"));
  }

  private static long peak(List<MagnetRound> rounds) {
    return rounds.stream().mapToLong(MagnetRound::residentBytes).max().orElseThrow();
  }

  /** Resident memory of the rounds without the buffer and the heap. */
  static long rest(List<MagnetRound> rounds, ServerShape shape) {
    return peak(rounds) - shape.bufferBytes() - shape.heapBytes();
  }
}
