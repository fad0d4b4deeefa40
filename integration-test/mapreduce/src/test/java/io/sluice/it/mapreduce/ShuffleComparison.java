package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.EngineJava;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Runs a program with Hadoop's built-in shuffle and with Sluice, and compares the results. */
final class ShuffleComparison {
  static final Duration TIMEOUT = Duration.ofMinutes(4);

  /** Counters that must not depend on the shuffle. */
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
  private final EngineJava java;
  private final Path directory;

  /** Comparisons on the shared cluster, in a named directory. */
  ShuffleComparison(Clusters clusters, String name) throws IOException {
    this(clusters, clusters.yarn(), name);
  }

  /** Comparisons on another cluster. */
  ShuffleComparison(Clusters clusters, YarnCluster yarn, String name) throws IOException {
    this(clusters, yarn, EngineJava.ofTests(), name);
  }

  /** Comparisons on another cluster, whose application masters run in a Java runtime. */
  ShuffleComparison(Clusters clusters, YarnCluster yarn, EngineJava java, String name)
      throws IOException {
    this.clusters = clusters;
    this.yarn = yarn;
    this.java = java;
    this.directory = clusters.directory(name);
  }

  /** Directory for inputs, in the file system of the jobs. */
  Path directory() {
    return directory;
  }

  /** A program to run. */
  interface Program {
    /**
     * @param output output directory, which does not exist yet
     */
    HadoopProgram on(YarnCluster yarn, Path output);
  }

  /** Results of the two runs. */
  record Outcome(
      ProgramOutcome own,
      Path ownOutput,
      ProgramOutcome sluice,
      Path sluiceOutput,
      ClusterCounters servers) {}

  /** Runs a program twice, and checks that counters are equal and that servers were used. */
  Outcome run(String name, Program program) throws IOException, InterruptedException {
    return run(name, program, Set.of());
  }

  /**
   * As {@link #run(String, Program)}.
   *
   * @param timingDependent counters that depend on timing
   */
  private Outcome run(String name, Program program, Set<String> timingDependent)
      throws IOException, InterruptedException {
    Path ownOutput = directory.resolve(name + "-own");
    Path sluiceOutput = directory.resolve(name + "-sluice");
    ClusterCounters before = clusters.probe().counters();
    HadoopProgram own = program.on(yarn, ownOutput).start();
    HadoopProgram sluice = program.on(yarn, sluiceOutput).set(clusters.throughSluice(java)).start();
    ProgramOutcome ownOutcome = succeeded(yarn, own.await(TIMEOUT));
    ProgramOutcome sluiceOutcome = succeeded(yarn, sluice.await(TIMEOUT));
    ClusterCounters servers = clusters.probe().counters().since(before);

    assertThat(sluiceOutcome.counters()).hasSameSizeAs(ownOutcome.counters());
    for (String counter : SAME_COUNTERS) {
      if (timingDependent.contains(counter)) {
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

  /** As {@link #run}, and also checks that all output files are equal. */
  Outcome sameFiles(String name, Program program) throws IOException, InterruptedException {
    return sameFiles(name, program, Set.of());
  }

  /**
   * As {@link #sameFiles(String, Program)}.
   *
   * @param timingDependent counters that depend on timing
   */
  Outcome sameFiles(String name, Program program, Set<String> timingDependent)
      throws IOException, InterruptedException {
    Outcome outcome = run(name, program, timingDependent);
    assertThat(OutputFiles.of(outcome.sluiceOutput()))
        .isNotEmpty()
        .isEqualTo(OutputFiles.of(outcome.ownOutput()));
    return outcome;
  }

  /** Fails with the output and logs if the program has failed. */
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

  /** Checks that reducers read nothing from node managers. */
  static void assertAllCameFromServers(ProgramOutcome outcome) {
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isZero();
    assertThat(outcome.counter("SERVER_BYTES"))
        .isPositive()
        .isEqualTo(outcome.counter("PUSHED_BYTES"));
  }
}
