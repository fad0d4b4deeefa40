package io.sluice.benchmark.load;

import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchOptions;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.common.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluice bench security}. */
@Command(
    name = "security",
    description =
        "Start a cluster with one server for each security setting, push to and fetch from "
            + "the clusters alternately, and compare time and CPU time.")
public final class SecurityCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;

  @Option(
      names = "--security",
      split = ",",
      defaultValue = "none,auth,tls",
      paramLabel = "KIND",
      converter = Protection.Converter.class,
      description =
          "Security settings to compare with the first one: none; auth (secrets and "
              + "tokens); tls (auth and encryption). Default ${DEFAULT-VALUE}.")
  private List<Protection> kinds;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Number of measured rounds, after one warm-up round; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--memory",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description = "rss.server.buffer.capacity of each server; default ${DEFAULT-VALUE}.")
  private DataSize memory;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Directory for the files of the servers; default: a temporary directory.")
  private Path parent;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    if (rounds < 1 || memory.bytes() < 16L << 20) {
      throw new ParameterException(
          options.spec().commandLine(),
          "expected --rounds of at least 1 and --memory of at least 16m");
    }
    Set<Protection> distinct = new LinkedHashSet<>(kinds);
    List<ProtectedCluster> clusters = new ArrayList<>();
    try (BenchDirectory directory = BenchDirectory.make(parent, "sluice-bench-security")) {
      try {
        for (Protection kind : distinct) {
          Path clusterDirectory = Files.createDirectory(directory.path().resolve(kind.toString()));
          clusters.add(ProtectedCluster.start(kind, clusterDirectory, memory.bytes()));
        }
        BenchNames.print(options.spec(), render(measure(clusters)));
      } finally {
        clusters.forEach(ProtectedCluster::close);
      }
    }
    return 0;
  }

  /**
   * Measures the clusters alternately and in alternating order, so that other load affects all of
   * them.
   */
  private Map<Protection, List<SecurityRound>> measure(List<ProtectedCluster> clusters)
      throws IOException, InterruptedException {
    Map<Protection, List<SecurityRound>> measured = new LinkedHashMap<>();
    clusters.forEach(cluster -> measured.put(cluster.protection(), new ArrayList<>()));
    for (int round = 0; round <= rounds; round++) {
      List<ProtectedCluster> order = new ArrayList<>(clusters);
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (ProtectedCluster cluster : order) {
        SecurityRound result = round(cluster);
        if (round > 0) {
          measured.get(cluster.protection()).add(result);
        }
      }
    }
    return measured;
  }

  private SecurityRound round(ProtectedCluster cluster) throws IOException, InterruptedException {
    BenchRun.Target target = cluster.target();
    ProgressLine.Factory progress = BenchNames.progress(options.spec());
    try (BenchRun run = BenchRun.start(options, target, progress, target.freshApplication())) {
      try {
        BenchReport pushed = run.push();
        BenchReport fetched =
            run.fetch(
                run.cluster().allPartitionsOnEveryServer(options.partitions()), pushed.blocks());
        return new SecurityRound(SecurityRound.Cost.of(pushed), SecurityRound.Cost.of(fetched));
      } finally {
        run.cluster().forget();
      }
    }
  }

  private String render(Map<Protection, List<SecurityRound>> measured) {
    String medians =
        SecurityRound.table(measured) + "medians of " + rounds + " rounds; " + options.describe();
    if (measured.size() == 1) {
      return medians + "\n";
    }
    return medians
        + "\n\n"
        + SecurityRound.serverCpuRatios(measured)
        + "ratio to the first setting: geometric mean over pairs of rounds; at most: "
        + "one-sided 95 % bound\n";
  }
}
