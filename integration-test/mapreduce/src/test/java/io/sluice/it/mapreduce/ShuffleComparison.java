package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Runs a program with Hadoop's own shuffle and through Sluice, side by side. */
final class BothWays {
  static final Duration TIMEOUT = Duration.ofMinutes(4);

  /** What must not depend on the way of the shuffle. */
  private static final List<String> SAME_COUNTERS =
      List.of(
          "Map input records",
          "Map output records",
          "Map output bytes",
          "Combine input records",
          "Combine output records",
          "Reduce input groups",
          "Reduce input records",
          "Reduce output records",
          "Spilled Records",
          "Shuffled Maps",
          "Failed Shuffles",
          "Merged Map outputs");

  private final Clusters clusters;
  private final YarnCluster yarn;
  private final Path directory;

  /** On the cluster that all tests share, in a directory with a name. */
  BothWays(Clusters clusters, String name) throws IOException {
    this(clusters, clusters.yarn(), name);
  }

  /** On another cluster. */
  BothWays(Clusters clusters, YarnCluster yarn, String name) throws IOException {
    this.clusters = clusters;
    this.yarn = yarn;
    this.directory = clusters.directory(name);
  }

  /** For inputs, in the file system that jobs see. */
  Path directory() {
    return directory;
  }

  /** Something to run. */
  interface Program {
    /**
     * @param output a directory of its own, that is not there yet
     */
    HadoopProgram on(YarnCluster yarn, Path output);
  }

  /** What came of the two runs, which have given the same. */
  record Outcome(
      ProgramOutcome own,
      Path ownOutput,
      ProgramOutcome sluice,
      Path sluiceOutput,
      ClusterCounters servers) {}

  /** Runs it both ways, and checks that counters are the same and that servers were used. */
  Outcome run(String name, Program program) throws IOException, InterruptedException {
    return run(name, program, Set.of());
  }

  /**
   * As {@link #run(String, Program)}.
   *
   * @param byChance counters that depend on when things happen
   */
  private Outcome run(String name, Program program, Set<String> byChance)
      throws IOException, InterruptedException {
    Path ownOutput = directory.resolve(name + "-own");
    Path sluiceOutput = directory.resolve(name + "-sluice");
    ClusterCounters before = clusters.probe().counters();
    HadoopProgram own = program.on(yarn, ownOutput).start();
    HadoopProgram sluice = program.on(yarn, sluiceOutput).set(clusters.throughSluice()).start();
    ProgramOutcome ownOutcome = succeeded(yarn, own.await(TIMEOUT));
    ProgramOutcome sluiceOutcome = succeeded(yarn, sluice.await(TIMEOUT));
    ClusterCounters servers = clusters.probe().counters().since(before);

    assertThat(sluiceOutcome.counters()).hasSameSizeAs(ownOutcome.counters());
    for (String counter : SAME_COUNTERS) {
      if (byChance.contains(counter)) {
        continue;
      }
      assertThat(sluiceOutcome.counter(counter)).as(counter).isEqualTo(ownOutcome.counter(counter));
    }
    assertThat(sluiceOutcome.counter("Reduce shuffle bytes")).isPositive();
    assertThat(servers.pushedBytes()).as("bytes that servers took").isPositive();
    assertThat(servers.fetchedBytes()).as("bytes that servers gave").isPositive();
    assertAllCameFromServers(sluiceOutcome);
    return new Outcome(ownOutcome, ownOutput, sluiceOutcome, sluiceOutput, servers);
  }

  /** As {@link #run}, and checks that all output files are the same. */
  Outcome sameFiles(String name, Program program) throws IOException, InterruptedException {
    return sameFiles(name, program, Set.of());
  }

  /**
   * As {@link #sameFiles(String, Program)}.
   *
   * @param byChance counters that depend on when things happen
   */
  Outcome sameFiles(String name, Program program, Set<String> byChance)
      throws IOException, InterruptedException {
    Outcome outcome = run(name, program, byChance);
    assertThat(OutputFiles.of(outcome.sluiceOutput()))
        .isNotEmpty()
        .isEqualTo(OutputFiles.of(outcome.ownOutput()));
    return outcome;
  }

  /** Fails with all that there is to know if the program has failed. */
  static ProgramOutcome succeeded(YarnCluster yarn, ProgramOutcome outcome) throws IOException {
    if (outcome.exitCode() != 0) {
      StringBuilder all = new StringBuilder(outcome.printed());
      for (String application : outcome.applications()) {
        all.append(yarn.containerLogs(application));
      }
      throw new AssertionError("exit code " + outcome.exitCode() + "\n" + all);
    }
    return outcome;
  }

  /** No byte of a reducer came from a node manager. */
  static void assertAllCameFromServers(ProgramOutcome outcome) {
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isZero();
    assertThat(outcome.counter("SERVER_BYTES"))
        .isPositive()
        .isEqualTo(outcome.counter("PUSHED_BYTES"));
  }
}
