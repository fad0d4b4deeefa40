package io.sluice.benchmark.scale;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.cli.control.OptionTypes;
import io.sluice.common.config.DataSize;
import io.sluice.common.net.DaemonThreads;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench scale}. */
@Command(
    name = "scale",
    description =
        "Start a coordinator, and measure registrations, assignments, leases and heartbeats of "
            + "simulated servers and applications.")
public final class ScaleCommand implements Callable<Integer> {
  private static final String MAX_CONNECTIONS = "20000";

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Option(
      names = "--servers",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Number of servers; default ${DEFAULT-VALUE}.")
  private int servers;

  @Option(
      names = "--applications",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Number of applications, with one shuffle each; default ${DEFAULT-VALUE}.")
  private int applications;

  @Option(
      names = "--partitions",
      defaultValue = "2000",
      paramLabel = "N",
      description = "Number of partitions of each shuffle; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--connections",
      defaultValue = "1000",
      paramLabel = "N",
      description =
          "Number of connections, which servers and drivers share; default ${DEFAULT-VALUE}.")
  private int connections;

  @Option(
      names = "--in-flight",
      defaultValue = "16",
      paramLabel = "N",
      description = "Maximum number of calls without a reply; default ${DEFAULT-VALUE}.")
  private int inFlight;

  @Option(
      names = "--heartbeat-interval",
      defaultValue = "5s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description =
          "Interval of the heartbeats of each server during other calls; default "
              + "${DEFAULT-VALUE}.")
  private long heartbeatMs;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = "Maximum heap of the coordinator; default ${DEFAULT-VALUE}.")
  private DataSize heap;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Directory for the coordinator's files; default: a temporary directory.")
  private Path parent;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (servers < 1
        || applications < 1
        || partitions < 1
        || inFlight < 1
        || connections < 1
        || connections > 10_000
        || heartbeatMs < 10
        || heap.bytes() < 64L << 20) {
      throw new ParameterException(
          spec.commandLine(),
          "expected --servers, --applications, --partitions and --in-flight of at least 1,"
              + " --connections of 1 to 10000, --heartbeat-interval of at least 10ms and --heap of"
              + " at least 64m");
    }
    ScheduledExecutorService scheduler =
        Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("bench-heartbeats"));
    try (BenchDirectory directory = BenchDirectory.make(parent, "sluice-bench-scale")) {
      Path log = directory.path().resolve("log");
      try (LocalCluster cluster = cluster(directory.path(), log)) {
        cluster.start();
        measure(cluster.coordinator(), log, scheduler);
      }
    } finally {
      scheduler.shutdownNow();
    }
    return 0;
  }

  private LocalCluster cluster(Path directory, Path log) {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(System.getProperty("java.class.path"))
        .servers(0)
        .coordinatorJvmOptions("-Xmx" + heap.bytes())
        .configureCoordinators("rss.coordinator.data.dir", log.toString())
        .configureCoordinators("rss.coordinator.app.max", Integer.toString(applications + 1))
        // Leases must not expire before their turn.
        .configureCoordinators("rss.coordinator.app.expired", "30m")
        .configureCoordinators("rss.coordinator.server.heartbeat.interval", heartbeatMs + "ms")
        .configureCoordinators("rss.coordinator.server.heartbeat.timeout", 6 * heartbeatMs + "ms")
        .configureCoordinators("rss.coordinator.connections.max", MAX_CONNECTIONS)
        .configureCoordinators("rss.coordinator.connections.per.peer.max", MAX_CONNECTIONS)
        .build();
  }

  private void measure(ClusterNode coordinator, Path log, ScheduledExecutorService scheduler)
      throws IOException, InterruptedException {
    try (ScaleBench bench =
        new ScaleBench(
            new ScaleBench.Size(
                servers, applications, partitions, connections, inFlight, heartbeatMs),
            coordinator.host(),
            coordinator.rpcPort(),
            new ProcessMeter(coordinator.pid()),
            log,
            System.currentTimeMillis())) {
      List<BenchTable> tables = bench.run(scheduler);
      results.publish(
          tables,
          List.of(
              String.format(
                  Locale.ROOT,
                  "%,d servers, %,d applications with a shuffle of %,d partitions each, %,d"
                      + " connections, %d calls in flight; heap of at most %s.",
                  servers,
                  applications,
                  partitions,
                  connections,
                  inFlight,
                  heap),
              String.format(
                  Locale.ROOT,
                  "Heartbeats list %,.1f applications on average.",
                  (double) bench.assignments() / servers)));
    }
  }
}
