package io.sluice.benchmark.load;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.Processes;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.benchmark.load.StartTable.Round;
import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench start}: the effect of the class data archive on new processes. */
@Command(
    name = "start",
    description =
        "Start a coordinator and a server with and without the class data archive, in turns, and "
            + "measure their start and the first pushes. Run sluice archive first.")
public final class StartCommand implements Callable<Integer> {
  private static final int BLOCK = 64 << 10;
  private static final long FRAME = 1 << 20;
  private static final int CONNECTIONS = 8;
  private static final double NANOS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("256m");

  @Option(
      names = "--total",
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = "Payload bytes to push and fetch after each start; default ${DEFAULT-VALUE}.")
  private DataSize total;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Number of rounds; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(rounds >= 1, "--rounds must be at least 1");
    check(total.bytes() >= 1, "--total must be at least 1");
    check(servers.memoryBytes() >= 16L << 20, "--memory must be at least 16m");
    Processes plain = new Processes(1, List.of());
    Processes archived = Processes.ofInstallation();
    check(
        !archived.equals(plain), "the installation has no class data archive; run sluice archive");
    List<Round> without = new ArrayList<>();
    List<Round> with = new ArrayList<>();
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-start")) {
      for (int round = 0; round < rounds; round++) {
        List<Processes> order = new ArrayList<>(List.of(plain, archived));
        if (round % 2 == 1) {
          Collections.reverse(order);
        }
        for (Processes processes : order) {
          boolean isPlain = processes.equals(plain);
          Path files = directory.path().resolve((isPlain ? "plain-" : "archived-") + round);
          (isPlain ? without : with).add(round(Files.createDirectory(files), processes));
        }
      }
    }
    results.publish(
        List.of(StartTable.of(without, with)),
        List.of("Medians of " + rounds + " rounds, each with new processes; times in seconds."));
    return 0;
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  private Round round(Path directory, Processes processes)
      throws IOException, InterruptedException {
    BenchLoad load = BenchLoad.of(CONNECTIONS, BLOCK, total.bytes(), FRAME);
    long start = System.nanoTime();
    try (ProtectedCluster cluster =
        ProtectedCluster.start(
            Protection.NONE, directory, ServerShape.ofBuffer(servers.memoryBytes()), processes)) {
      double ready = (System.nanoTime() - start) / NANOS_PER_SECOND;
      double startCpu = cluster.server().cpuSeconds();
      BenchRun.Target target = cluster.target();
      try (BenchRun run =
          BenchRun.start(load, target, BenchNames.progress(spec), target.freshApplication())) {
        BenchReport pushed = run.push();
        double pushCpu = cluster.server().cpuSeconds();
        BenchReport fetched =
            run.fetch(run.cluster().allPartitionsOnEveryServer(load.partitions()), pushed.blocks());
        double fetchCpu = cluster.server().cpuSeconds();
        return new Round(
            ready,
            startCpu,
            pushed.seconds(),
            pushCpu - startCpu,
            fetched.seconds(),
            fetchCpu - pushCpu,
            cluster.server().residentBytes());
      }
    }
  }
}
