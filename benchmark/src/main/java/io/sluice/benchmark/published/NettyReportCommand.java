package io.sluice.benchmark.published;

import com.sun.management.UnixOperatingSystemMXBean;
import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.cluster.RoundsOption;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.client.TransportKind;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code sluice bench netty-report}: the experiment of Uniffle's report on its Netty transport,
 * with pushers instead of Spark tasks.
 */
@Command(
    name = "netty-report",
    description =
        "Compare gRPC with Netty under thousands of concurrent tasks, each with a connection, as "
            + "in Uniffle's report on its Netty transport.")
public final class NettyReportCommand implements Callable<Integer> {
  private static final int MAX_TASKS = 19_000;
  private static final int MAX_PROCESSES = 100;

  /** Descriptors of a server for files, ports and libraries. */
  private static final int OTHER_DESCRIPTORS = 1_000;

  /** The default of rss.server.connections.per.peer.max, which the servers have. */
  private static final int MAX_TASKS_OF_ADDRESS = 2_500;

  private static final String CONNECTIONS = "20000";

  /** Last byte of the address of the first process; servers and the benchmark have 127.0.0.1. */
  private static final int FIRST_ADDRESS = 2;

  private static final long HEAP = 2L << 30;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("1g");
  @Mixin private RoundsOption rounds = new RoundsOption(3);

  @Option(
      names = "--tasks",
      split = ",",
      defaultValue = "1400,2800,5600,11200",
      paramLabel = "N",
      description = "Numbers of concurrent tasks; default ${DEFAULT-VALUE}.")
  private List<Integer> counts;

  @Option(
      names = "--processes",
      defaultValue = "8",
      paramLabel = "N",
      description =
          "Number of processes with tasks, each with a source address 127.0.0.x; default "
              + "${DEFAULT-VALUE}.")
  private int processes;

  @Option(
      names = "--task-size",
      defaultValue = "1m",
      paramLabel = "SIZE",
      description = "Payload bytes of a task; default ${DEFAULT-VALUE}.")
  private DataSize taskSize;

  @Option(
      names = "--block-size",
      defaultValue = "14k",
      paramLabel = "SIZE",
      description = "Payload bytes of a block; default ${DEFAULT-VALUE}.")
  private DataSize blockSize;

  @Option(
      names = "--frame-size",
      defaultValue = "64k",
      paramLabel = "SIZE",
      description = "Maximum size of a push frame; default ${DEFAULT-VALUE}.")
  private DataSize frameSize;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(rounds.count() >= 1, "--rounds must be at least 1");
    check(
        processes >= 1 && processes <= MAX_PROCESSES, "--processes must be 1 to " + MAX_PROCESSES);
    for (int tasks : counts) {
      check(
          tasks >= processes && tasks <= MAX_TASKS,
          "--tasks must be at least --processes and at most " + MAX_TASKS);
      check(
          (tasks + processes - 1) / processes <= MAX_TASKS_OF_ADDRESS,
          "--tasks must be at most "
              + MAX_TASKS_OF_ADDRESS
              + " for each of --processes, the limit of connections from one address");
      checkDescriptors(tasks);
    }
    check(taskSize.bytes() >= 1, "--task-size must be at least 1");
    check(frameSize.bytes() >= 1 && frameSize.bytes() <= 8L << 20, "--frame-size must be 1 to 8m");
    check(
        blockSize.bytes() >= 1 && blockSize.bytes() + BlockHeader.LENGTH <= frameSize.bytes(),
        "--block-size must be 1 to --frame-size without a block header of " + BlockHeader.LENGTH);
    check(servers.memoryBytes() >= 16L << 20, "--memory must be at least 16m");
    List<TransportRound> measured;
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-netty-report");
        ProtectedCluster grpc = cluster(directory, "grpc");
        ProtectedCluster netty = cluster(directory, "netty")) {
      measured = measure(Map.of(TransportKind.GRPC, grpc, TransportKind.GRPC_NETTY, netty));
    }
    results.publish(
        List.of(TransportTable.of(measured)),
        List.of(
            "Medians of "
                + rounds.count()
                + " rounds; memory and retries are the highest of all. Each task pushes "
                + taskSize
                + " in frames of "
                + frameSize
                + ", one at a time, over its own connection.",
            "Tasks are in "
                + processes
                + " processes with an address each, and start when all connections are open."));
    return 0;
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  /** Checks the limit of this process, which the servers inherit. */
  private void checkDescriptors(int tasks) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long max = system.getMaxFileDescriptorCount();
      check(
          tasks + OTHER_DESCRIPTORS <= max,
          "--tasks "
              + tasks
              + " needs "
              + (tasks + OTHER_DESCRIPTORS)
              + " file descriptors, but the limit is "
              + max
              + "; raise it with ulimit -n");
    }
  }

  private ProtectedCluster cluster(BenchDirectory directory, String name)
      throws IOException, InterruptedException {
    return ProtectedCluster.start(
        Protection.NONE,
        Files.createDirectory(directory.path().resolve(name)),
        new ServerShape(
            servers.memoryBytes(),
            HEAP,
            Map.of(
                "rss.server.connections.max",
                CONNECTIONS,
                "rss.server.connections.per.peer.max",
                Integer.toString(MAX_TASKS_OF_ADDRESS)),
            List.of()));
  }

  /** Measures the transports in alternating order, with more tasks each time. */
  private List<TransportRound> measure(Map<TransportKind, ProtectedCluster> clusters)
      throws IOException, InterruptedException {
    List<TransportRound> measured = new ArrayList<>();
    List<Integer> ascending = counts.stream().sorted().toList();
    long tasksOfRound = counts.stream().mapToLong(Integer::longValue).sum() * clusters.size();
    long total = (rounds.count() + 1) * tasksOfRound * taskSize.bytes();
    try (ProgressLine progress = BenchNames.progress(spec).start("push", total)) {
      for (int round = 0; round <= rounds.count(); round++) {
        for (int tasks : ascending) {
          List<TransportKind> order =
              new ArrayList<>(List.of(TransportKind.GRPC, TransportKind.GRPC_NETTY));
          if (round % 2 == 0) {
            Collections.reverse(order);
          }
          for (TransportKind transport : order) {
            TransportRound result = round(clusters.get(transport), transport, tasks);
            progress.advance(tasks * taskSize.bytes());
            if (round > 0) {
              measured.add(result);
            }
          }
        }
      }
    }
    return measured;
  }

  private TransportRound round(ProtectedCluster cluster, TransportKind transport, int tasks)
      throws IOException {
    ProcessMeter server = cluster.server();
    server.resetResidentPeak();
    List<PusherProcess> pushers = new ArrayList<>();
    try {
      for (int i = 0; i < processes; i++) {
        pushers.add(
            PusherProcess.start(
                new Pushers.Plan(
                    cluster.coordinator(),
                    "127.0.0." + (i + FIRST_ADDRESS),
                    transport,
                    tasks / processes + (i < tasks % processes ? 1 : 0),
                    taskSize.bytes(),
                    (int) blockSize.bytes(),
                    (int) frameSize.bytes())));
      }
      for (PusherProcess pusher : pushers) {
        pusher.awaitReady();
      }
      double cpu = server.cpuSeconds();
      long start = System.nanoTime();
      for (PusherProcess pusher : pushers) {
        pusher.begin();
      }
      Histogram taskUs = new Histogram(3);
      long retries = 0;
      for (PusherProcess pusher : pushers) {
        PusherResult result = pusher.result();
        taskUs.add(result.taskUs());
        retries += result.retries();
      }
      return new TransportRound(
          transport,
          tasks,
          (System.nanoTime() - start) / 1e9,
          taskUs,
          retries,
          server.cpuSeconds() - cpu,
          server.residentPeakBytes());
    } finally {
      pushers.forEach(PusherProcess::close);
    }
  }
}
