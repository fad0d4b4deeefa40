package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.faults.FaultPlayer;
import io.sluice.it.faults.RandomFaults;
import io.sluice.it.faults.TaskProcesses;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.LocalCluster;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A MapReduce job while random faults happen: it does not fail, every word is counted once, and
 * nothing is left afterwards. Seeds and results as in {@code RandomFaultsTest} of Spark jobs.
 */
@Tag("nightly")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
@ExtendWith(SharedClusters.class)
final class RandomFaultsTest {
  private static final int REDUCES = 4;
  private static final int MAPS = 6;
  private static final int WORDS_PER_FILE = 40_000;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Output is protected in one of these ways, by the seed. */
  private static final List<Map<String, String>> MODES =
      List.of(
          Map.of(),
          Map.of("mapreduce.rss.local.output", "always"),
          Map.of("mapreduce.rss.data.replica", "2"));

  private final Clusters clusters;
  private RandomFaults faults;

  RandomFaultsTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    Path home = clusters.directory("random-faults");
    LocalCluster.Builder builder =
        TestCluster.builder(home)
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "3s")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .serverJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    faults = new RandomFaults(home, builder, false);
  }

  @AfterAll
  void stopCluster() throws IOException {
    if (faults != null) {
      faults.close();
    }
  }

  static Stream<Long> seeds() {
    return RandomFaults.seeds().boxed();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyWordIsCountedOnce(long seed) throws IOException, InterruptedException {
    Path directory = clusters.directory("random-faults-" + seed);
    Path input = TestInputs.words(directory.resolve("in"), MAPS, WORDS_PER_FILE, seed);
    Path output = directory.resolve("out");
    Map<String, String> settings = new HashMap<>(clusters.throughSluice(faults.cluster().quorum()));
    settings.putAll(faults.access().mapReduce());
    settings.put("mapreduce.rss.coordinator.quorum", faults.cluster().quorum());
    // Longer than a paused server.
    settings.put("mapreduce.rss.client.server.unreachable.timeout", "6s");
    settings.put("mapreduce.rss.client.send.check.timeout.ms", "10s");
    Map<String, String> mode = MODES.get((int) (seed % MODES.size()));
    settings.putAll(mode);

    long begunNanos = System.nanoTime();
    ProgramOutcome outcome;
    FaultPlayer player = faults.player(seed, TaskProcesses.OF_MAPREDUCE);
    try (player) {
      HadoopProgram program =
          HadoopProgram.example(clusters.yarn(), "wordcount")
              .set(settings)
              .set("mapreduce.job.reduces", Integer.toString(REDUCES))
              .arguments(input, output)
              .start();
      clusters.await(
          "the first task runs",
          () -> !TaskProcesses.OF_MAPREDUCE.running().isEmpty() || !program.isRunning());
      player.start();
      outcome = program.await(LIMIT);
    }

    RandomFaults.record(
        "mapreduce %d %s: %d s, maps %d of %d, segments pushed %d, local outputs %d, faults %s"
            .formatted(
                seed,
                mode,
                Duration.ofNanos(System.nanoTime() - begunNanos).toSeconds(),
                outcome.counter("Launched map tasks"),
                MAPS,
                outcome.counter("PUSHED_SEGMENTS"),
                outcome.counter("LOCAL_OUTPUTS"),
                player.injected()));
    ShuffleComparison.succeeded(clusters.yarn(), outcome);
    // The job registers before its first task, and the faults begin with that.
    assertThat(outcome.counter("PUSHED_SEGMENTS")).isPositive();
    assertThat(OutputFiles.of(output)).isEqualTo(WordCounts.files(input, REDUCES));
    faults.awaitServers();
    faults.awaitNothingLeft();
  }
}
