package io.sluice.benchmark.load;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.benchmark.load.HugeBench.Beside;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.cli.control.OptionTypes;
import io.sluice.common.config.DataSize;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.net.IoMode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench huge}. */
@Command(
    name = "huge",
    description =
        "Start a server on this machine, and measure the effect of one huge partition on "
            + "pushes to small partitions.")
public final class HugeCommand implements Callable<Integer> {
  private static final int THREADS = 2;
  private static final int TIMEOUT_MS = 60_000;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("512m");

  @Option(
      names = "--size",
      defaultValue = "4g",
      paramLabel = "SIZE",
      description = "Final size of the huge partition; default ${DEFAULT-VALUE}.")
  private DataSize size;

  @Option(
      names = "--threshold",
      defaultValue = "64m",
      paramLabel = "SIZE",
      description = "rss.server.huge.partition.threshold of the server; default ${DEFAULT-VALUE}.")
  private DataSize threshold;

  @Option(
      names = "--rate",
      defaultValue = "200m",
      paramLabel = "SIZE",
      description = "Bytes per second pushed to the huge partition; default ${DEFAULT-VALUE}.")
  private DataSize rate;

  @Option(
      names = "--partitions",
      defaultValue = "1000",
      paramLabel = "N",
      description =
          "Number of small partitions, in ten other applications; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--turn",
      defaultValue = "2s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Duration of each turn; default ${DEFAULT-VALUE}.")
  private long turnMs;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (size.bytes() < 1 || rate.bytes() < 1 << 20 || partitions < 10 || turnMs < 100) {
      throw new ParameterException(
          spec.commandLine(),
          "expected --size of at least 1, --rate of at least 1m, --partitions of at least "
              + "10 and --turn of at least 100ms");
    }
    ScheduledExecutorService scheduler =
        Executors.newScheduledThreadPool(THREADS, DaemonThreads.numbered("bench-scheduler"));
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-huge");
        LocalCluster cluster = cluster(directory.path())) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(1, Duration.ofMillis(TIMEOUT_MS));
      }
      try (DataTransport transport =
          new NettyDataTransport(
              new TransportConfig(
                  TIMEOUT_MS, TIMEOUT_MS, IoMode.EPOLL, THREADS, FrameLimits.DEFAULT),
              System::nanoTime)) {
        HugeBench bench = new HugeBench(size.bytes(), rate.bytes(), partitions, turnMs);
        HugeBench.Result result = bench.run(cluster, transport, scheduler);
        results.publish(List.of(table(result)), List.of(note(result)));
      }
    } finally {
      scheduler.shutdownNow();
    }
    return 0;
  }

  private LocalCluster cluster(Path directory) {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(System.getProperty("java.class.path"))
        .servers(1)
        .serverJvmOptions(
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=" + (servers.memoryBytes() + (512L << 20)),
            "--add-opens=java.base/java.nio=ALL-UNNAMED")
        .configureServers("rss.server.buffer.capacity", Long.toString(servers.memoryBytes()))
        .configureServers("rss.server.huge.partition.threshold", Long.toString(threshold.bytes()))
        .build();
  }

  private BenchTable table(HugeBench.Result result) {
    BenchTable table =
        new BenchTable(
            "huge",
            "Latency of pushes to small partitions",
            Column.text("small partitions"),
            Column.number("pushes", 0),
            Column.number("p50 ms", 2),
            Column.number("p50, times", 2),
            Column.number("p99 ms", 2),
            Column.number("p99, times", 2),
            Column.number("p99.9 ms", 2),
            Column.number("p99.9, times", 2));
    Histogram alone = result.latencyUs().get(Beside.NOTHING);
    result
        .latencyUs()
        .forEach(
            (beside, latency) ->
                table.row(
                    beside.label(),
                    latency.getTotalCount(),
                    millis(latency, 50),
                    times(latency, alone, 50),
                    millis(latency, 99),
                    times(latency, alone, 99),
                    millis(latency, 99.9),
                    times(latency, alone, 99.9)));
    return table.chart(
        new Chart(
            "Latency of pushes to small partitions",
            "ms",
            Chart.Kind.BARS,
            "small partitions",
            "",
            List.of("p50 ms", "p99 ms", "p99.9 ms")));
  }

  private static String note(HugeBench.Result result) {
    return String.format(
        Locale.ROOT,
        "Bytes in the huge partition: %s, in many partitions: %s; skipped pushes to small"
            + " partitions: %d.",
        new DataSize(result.hugeBytes()).toRoundedText(),
        new DataSize(result.spreadBytes()).toRoundedText(),
        result.skipped());
  }

  private static double millis(Histogram latency, double percentile) {
    return latency.getValueAtPercentile(percentile) / 1000.0;
  }

  private static double times(Histogram latency, Histogram alone, double percentile) {
    return (double) latency.getValueAtPercentile(percentile)
        / Math.max(1, alone.getValueAtPercentile(percentile));
  }
}
