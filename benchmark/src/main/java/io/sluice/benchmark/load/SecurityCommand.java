package io.sluice.benchmark.load;

import io.sluice.benchmark.cluster.BenchDirectory;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.cluster.ProtectedCluster.ServerShape;
import io.sluice.benchmark.cluster.Protection;
import io.sluice.benchmark.cluster.RoundsOption;
import io.sluice.benchmark.cluster.ServerOptions;
import io.sluice.cli.bench.BenchNames;
import io.sluice.cli.bench.BenchOptions;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.cli.bench.ResultOptions;
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
  @Mixin private ResultOptions results;
  @Mixin private ServerOptions servers = new ServerOptions("256m");
  @Mixin private RoundsOption rounds = new RoundsOption(5);

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

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    if (rounds.count() < 1 || servers.memoryBytes() < 16L << 20) {
      throw new ParameterException(
          options.spec().commandLine(),
          "expected --rounds of at least 1 and --memory of at least 16m");
    }
    Set<Protection> distinct = new LinkedHashSet<>(kinds);
    List<ProtectedCluster> clusters = new ArrayList<>();
    try (BenchDirectory directory = servers.makeDirectory("sluice-bench-security")) {
      try {
        for (Protection kind : distinct) {
          Path clusterDirectory = Files.createDirectory(directory.path().resolve(kind.toString()));
          clusters.add(
              ProtectedCluster.start(
                  kind, clusterDirectory, ServerShape.ofBuffer(servers.memoryBytes())));
        }
        results.publish(
            List.of(SecurityRound.table(measure(clusters))),
            List.of(
                "Medians of " + rounds.count() + " rounds; " + options.load().describe() + ".",
                "Of pairs: geometric mean of the server CPU of pairs of rounds, with its one-sided"
                    + " 95 % bound."));
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
    for (int round = 0; round <= rounds.count(); round++) {
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
    try (BenchRun run =
        BenchRun.start(options.load(), target, progress, target.freshApplication())) {
      try {
        BenchReport pushed = run.push();
        BenchReport fetched =
            run.fetch(
                run.cluster().allPartitionsOnEveryServer(options.load().partitions()),
                pushed.blocks());
        return new SecurityRound(SecurityRound.Cost.of(pushed), SecurityRound.Cost.of(fetched));
      } finally {
        run.cluster().forget();
      }
    }
  }
}
