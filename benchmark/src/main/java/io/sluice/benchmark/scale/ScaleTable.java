package io.sluice.benchmark.scale;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Tables of calls to a coordinator and of its memory. */
final class ScaleTable {
  private static final double MICROS_PER_MS = 1000;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final String CALL = "call";

  private final BenchTable calls =
      new BenchTable(
          "scale",
          "Calls to one coordinator",
          Column.text(CALL),
          Column.number("calls", 0),
          Column.number("per second", 0),
          Column.number("p50 ms", 2),
          Column.number("p99 ms", 2),
          Column.number("highest ms", 1),
          Column.number("coordinator CPU, µs each", 0));
  private final BenchTable memory =
      new BenchTable(
          "scale-memory",
          "Memory of the coordinator",
          Column.text("after"),
          Column.number("resident MiB", 0),
          Column.number("metadata log, MiB", 2));

  /**
   * Adds a row.
   *
   * @param cpuSeconds CPU time of the coordinator during the calls
   */
  void call(String name, CallLoad.Result result, double cpuSeconds) {
    Histogram latency = result.latencyUs();
    calls.row(
        name,
        latency.getTotalCount(),
        result.perSecond(),
        latency.getValueAtPercentile(50) / MICROS_PER_MS,
        latency.getValueAtPercentile(99) / MICROS_PER_MS,
        latency.getMaxValue() / MICROS_PER_MS,
        cpuSeconds * MICROS_PER_SECOND / latency.getTotalCount());
  }

  /** Adds a row. */
  void memory(String after, long residentBytes, long logBytes) {
    memory.row(after, residentBytes / BYTES_PER_MIB, logBytes / BYTES_PER_MIB);
  }

  List<BenchTable> tables() {
    calls.chart(
        new Chart(
            "Latency of calls", "ms", Chart.Kind.BARS, CALL, "", List.of("p50 ms", "p99 ms")));
    return List.of(calls, memory);
  }
}
