package io.sluice.cli.bench;

import io.sluice.cli.TextTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.common.config.DataSize;
import io.sluice.proto.GetStatusReply;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Measurements of a benchmark.
 *
 * @param benchmark name of the benchmark
 * @param setting description of the options
 * @param movedBytes pushed and acknowledged (payload), or fetched and verified (whole blocks)
 * @param requests successful pushes or fetches
 * @param repeats requests that were refused temporarily and sent again
 * @param latencyUs microseconds from request to reply
 * @param taskUs microseconds from the start to the last reply of each connection
 * @param before counters of each server at the start
 * @param after counters of each server at the end
 */
public record BenchReport(
    String benchmark,
    String setting,
    long movedBytes,
    long blocks,
    long requests,
    long repeats,
    long elapsedNanos,
    long clientCpuNanos,
    Histogram latencyUs,
    Histogram taskUs,
    Map<String, GetStatusReply> before,
    Map<String, GetStatusReply> after) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double BYTES_PER_MIB = 1L << 20;
  private static final double MICROS_PER_MS = 1000;

  public double seconds() {
    return elapsedNanos / NANOS_PER_SECOND;
  }

  public double serverCpuSeconds() {
    long nanos = 0;
    for (Map.Entry<String, GetStatusReply> server : after.entrySet()) {
      nanos +=
          server.getValue().getProcessCpuNanos() - before.get(server.getKey()).getProcessCpuNanos();
    }
    return nanos / NANOS_PER_SECOND;
  }

  /** Bytes that the servers wrote to files. */
  public long spilledBytes() {
    long bytes = 0;
    for (Map.Entry<String, GetStatusReply> server : after.entrySet()) {
      bytes += server.getValue().getSpilledBytes() - before.get(server.getKey()).getSpilledBytes();
    }
    return bytes;
  }

  String render() {
    double gib = movedBytes / BYTES_PER_GIB;
    TextTable table = new TextTable(benchmark, setting);
    table.row("bytes", size(movedBytes) + " in " + text("%.2f s", seconds()));
    table.row("blocks", blocks + " in " + requests + " requests, " + repeats + " retries");
    table.row("throughput", size((long) (movedBytes / seconds())) + "/s");
    table.row("latency", latencies());
    table.row(
        "cpu",
        text(
            "client %.2f s/GiB, servers %.2f s/GiB",
            clientCpuNanos / NANOS_PER_SECOND / gib, serverCpuSeconds() / gib));
    after.forEach((name, status) -> table.row(name, server(before.get(name), status)));
    return table.toString();
  }

  /** The figures of several reports as a table. */
  static BenchTable table(List<BenchReport> reports) {
    BenchTable table =
        new BenchTable(
            "load",
            "Pushes and fetches",
            Column.text("requests"),
            Column.text("load"),
            Column.number("MiB", 0),
            Column.number("seconds", 2),
            Column.number("GiB/s", 2),
            Column.number("client CPU s/GiB", 3),
            Column.number("server CPU s/GiB", 3),
            Column.number("p50 ms", 1),
            Column.number("p99 ms", 1),
            Column.number("retries", 0));
    for (BenchReport report : reports) {
      double gib = report.movedBytes / BYTES_PER_GIB;
      table.row(
          report.benchmark,
          report.setting,
          report.movedBytes / BYTES_PER_MIB,
          report.seconds(),
          gib / report.seconds(),
          report.clientCpuNanos / NANOS_PER_SECOND / gib,
          report.serverCpuSeconds() / gib,
          report.latencyUs.getValueAtPercentile(50) / MICROS_PER_MS,
          report.latencyUs.getValueAtPercentile(99) / MICROS_PER_MS,
          report.repeats);
    }
    return table;
  }

  private String latencies() {
    return text(
        "p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, max %.1f ms",
        latencyUs.getValueAtPercentile(50) / 1000.0,
        latencyUs.getValueAtPercentile(90) / 1000.0,
        latencyUs.getValueAtPercentile(99) / 1000.0,
        latencyUs.getValueAtPercentile(99.9) / 1000.0,
        latencyUs.getMaxValue() / 1000.0);
  }

  private static String server(GetStatusReply before, GetStatusReply after) {
    return text(
        "pushed %s, spilled %s, fetched %s (%s from memory), paused %d times, memory peak %s of"
            + " %s, heap %s of %s",
        size(after.getPushedBytes() - before.getPushedBytes()),
        size(after.getSpilledBytes() - before.getSpilledBytes()),
        size(after.getFetchedBytes() - before.getFetchedBytes()),
        size(after.getFetchedFromMemoryBytes() - before.getFetchedFromMemoryBytes()),
        after.getPausedConnections() - before.getPausedConnections(),
        size(after.getMemoryPeakBytes()),
        size(after.getLoad().getMemoryCapacityBytes()),
        size(after.getHeapUsedBytes()),
        size(after.getHeapMaxBytes()));
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
