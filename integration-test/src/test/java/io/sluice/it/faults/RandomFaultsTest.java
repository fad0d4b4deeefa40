package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.JobKinds;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Spark jobs of many kinds while random faults happen: no job fails, every row is the same as with
 * the built-in shuffle, and nothing is left afterwards. {@code -Dsluice.test.seeds=SEED} or {@code
 * =FIRST-LAST} chooses the seeds; {@code target/random-faults.txt} has a line for each.
 */
@Tag("nightly")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class RandomFaultsTest {
  private static final int JOBS = 14;
  private static final List<Mode> MODES = List.of(Mode.values());

  /** Its tasks take half a minute. */
  private static final List<String> TOO_LONG = List.of("largeRecords");

  @TempDir static Path directory;

  private final List<String> kinds = new ArrayList<>();
  private RandomFaults faults;
  private Outcome own;

  @BeforeAll
  void startClusterAndRunTheBaseline() throws IOException, InterruptedException {
    kinds.addAll(JobKinds.SHUFFLES);
    kinds.addAll(JobKinds.MIXED);
    kinds.removeAll(TOO_LONG);
    own = new SparkApplication(directory.resolve("own")).run(kinds);
    assertThat(own.exitCode()).as(own.log()).isZero();
    Path home = directory.resolve("cluster");
    faults = new RandomFaults(home, FaultCluster.builder(home), true);
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
  void rowsAreTheSame(long seed) throws IOException, InterruptedException {
    Random random = new Random(seed);
    List<String> jobs = new ArrayList<>(kinds);
    Collections.shuffle(jobs, random);
    jobs = new ArrayList<>(jobs.subList(0, JOBS));
    Mode mode = MODES.get((int) (seed % MODES.size()));
    long begunNanos = System.nanoTime();
    SparkApplication application = application("run-" + seed, mode);
    FaultPlayer player = faults.player(seed, TaskProcesses.OF_SPARK);
    Outcome found;
    try (player) {
      List<String> program = new ArrayList<>(List.of("pause:begin"));
      program.addAll(jobs);
      found = application.at("begin", player::start).run(program);
    }

    long seconds = Duration.ofNanos(System.nanoTime() - begunNanos).toSeconds();
    long again =
        jobs.stream().mapToLong(job -> found.number(job, "mapTasks")).sum()
            - jobs.stream().mapToLong(job -> own.number(job, "mapTasks")).sum();
    RandomFaults.record(
        "spark %d %s: %d s, maps repeated %d, shuffles on Sluice %d, built-in %d, faults %s"
            .formatted(
                seed,
                mode,
                seconds,
                again,
                found.shufflesOnSluice(),
                found.fallbacks().size(),
                player.injected()));
    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job)).doesNotContain("error");
    }
    assertThat(found.shufflesOnSluice()).isPositive();
    faults.awaitServers();
    faults.awaitNothingLeft();
  }

  private SparkApplication application(String name, Mode mode) throws IOException {
    SparkApplication application =
        FaultCluster.impatient(
            SparkApplication.onSluice(directory.resolve(name), faults.cluster().quorum()));
    faults.access().spark().forEach(application::set);
    application
        .set("spark.rss.coordinator.quorum", faults.cluster().quorum())
        .set("spark.rss.access.timeout.ms", "10s")
        // Longer than a paused server or a cut link.
        .set("spark.rss.client.server.unreachable.timeout", "6s")
        .set("spark.rss.client.send.check.timeout.ms", "10s")
        .set("spark.rss.data.replica", mode == Mode.TWO_COPIES ? "2" : "1")
        .set("spark.rss.local.output", mode == Mode.ALWAYS ? "always" : "fallback")
        .endAfter(Duration.ofMinutes(5));
    ExecutorHosts.write(directory.resolve("hosts-" + name)).configure(application);
    return application;
  }
}
