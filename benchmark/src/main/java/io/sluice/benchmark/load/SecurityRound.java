package io.sluice.benchmark.load;

import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.engine.Medians;
import io.sluice.benchmark.engine.PairedRatio;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Cost of pushing and fetching the same bytes once. */
record SecurityRound(Cost push, Cost fetch) {
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String SECURITY = "security";
  private static final String OPERATION = "operation";
  private static final String SERVER = "server CPU s/GiB";

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

  /**
   * Table of medians, one row for each setting and operation. Times are multiples of the first
   * setting.
   */
  static BenchTable table(Map<Protection, List<SecurityRound>> measured) {
    BenchTable table =
        new BenchTable(
            "security",
            "Pushes and fetches by security setting",
            Column.text(SECURITY),
            Column.text(OPERATION),
            Column.number("s/GiB", 2),
            Column.number("time, times", 2),
            Column.number("client CPU s/GiB", 2),
            Column.number("client, times", 2),
            Column.number(SERVER, 2),
            Column.number("server, times", 2),
            Column.number("of pairs", 3),
            Column.number("at most", 3));
    List<SecurityRound> base = measured.values().iterator().next();
    for (Map.Entry<Protection, List<SecurityRound>> kind : measured.entrySet()) {
      row(table, kind, base, "push", SecurityRound::push);
      row(table, kind, base, "fetch", SecurityRound::fetch);
    }
    return table.chart(
        new Chart(
            "CPU of servers", "s/GiB", Chart.Kind.BARS, SECURITY, OPERATION, List.of(SERVER)));
  }

  private static void row(
      BenchTable table,
      Map.Entry<Protection, List<SecurityRound>> kind,
      List<SecurityRound> base,
      String operation,
      Function<SecurityRound, Cost> cost) {
    List<Cost> costs = kind.getValue().stream().map(cost).toList();
    List<Cost> baseCosts = base.stream().map(cost).toList();
    boolean isBase = kind.getValue() == base;
    PairedRatio ratio = isBase ? null : PairedRatio.of(serverCpu(costs), serverCpu(baseCosts));
    table.row(
        kind.getKey().label(),
        operation,
        Medians.of(costs, Cost::seconds),
        times(costs, baseCosts, Cost::seconds),
        Medians.of(costs, Cost::clientCpuSeconds),
        times(costs, baseCosts, Cost::clientCpuSeconds),
        Medians.of(costs, Cost::serverCpuSeconds),
        times(costs, baseCosts, Cost::serverCpuSeconds),
        isBase ? null : finite(ratio.mean()),
        isBase ? null : finite(ratio.upperBound()));
  }

  private static double[] serverCpu(List<Cost> costs) {
    return costs.stream().mapToDouble(Cost::serverCpuSeconds).toArray();
  }

  /** Null if the CPU time of the first setting was too short to be measured. */
  private static Double times(List<Cost> costs, List<Cost> base, ToDoubleFunction<Cost> figure) {
    return finite(Medians.of(costs, figure) / Medians.of(base, figure));
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? (Double) value : null;
  }
}
