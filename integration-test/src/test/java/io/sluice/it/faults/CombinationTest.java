package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.BuiltInDigests;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Replicas, replacement servers and local output in every combination. One of three servers is lost
 * before the first block and another one after the map stage. Output of the second one is
 * recomputed if it has no other copy, while the first one is still down. Also tested with the loss
 * of all servers.
 */
@Tag("nightly")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class CombinationTest {
  private static final int SERVERS = 3;
  private static final long REDUCE_TASKS = 9;

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster = FaultCluster.builder(directory.resolve("cluster")).servers(SERVERS).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  @ParameterizedTest(name = "replicas {0}, replacement servers {1}, local output {2}")
  @CsvSource({
    "1, true, fallback, RUNS_MAPS_AGAIN",
    "1, false, fallback, RUNS_MAPS_AGAIN",
    "1, true, never, RUNS_MAPS_AGAIN",
    "1, false, never, FAILS",
    "2, true, fallback, MAY_RUN_MAPS_AGAIN",
    "2, false, fallback, RUNS_MAPS_AGAIN",
    "2, true, never, MAY_RUN_MAPS_AGAIN",
    "2, false, never, FAILS",
    "1, true, always, RUNS_NOTHING_AGAIN",
    "2, false, always, RUNS_NOTHING_AGAIN",
  })
  void rowsAreTheSameAfterTheLossOfTwoOfThreeServers(
      int replicas, boolean replacementServers, String local, Outcomes expected)
      throws IOException, InterruptedException {
    String name = replicas + "-" + replacementServers + "-" + local;
    String job = "faults/" + name + "@registered,mapped";
    Outcome found =
        application(name, replicas, local)
            .set("spark.rss.client.reassign.enabled", Boolean.toString(replacementServers))
            .at(name + "/registered", () -> cluster.servers().get(0).kill())
            .at(name + "/mapped", () -> cluster.servers().get(1).kill())
            .run(List.of("pause:mend", job));

    check(expected, found, job);
  }

  @ParameterizedTest(name = "replicas {0}, local output {1}, when {2}")
  @CsvSource({
    "2, fallback, registered, RUNS_NOTHING_AGAIN",
    "2, fallback, mapped, RUNS_MAPS_AGAIN",
    "2, always, mapped, RUNS_NOTHING_AGAIN",
    "2, never, mapped, FAILS",
  })
  void rowsAreTheSameAfterTheLossOfAllServers(
      int replicas, String local, String point, Outcomes expected)
      throws IOException, InterruptedException {
    String name = "none-" + replicas + "-" + local + "-" + point;
    String job = "faults/" + name + "@" + point;
    Outcome found =
        application(name, replicas, local)
            .at(name + "/" + point, () -> cluster.servers().forEach(ClusterNode::kill))
            .run(List.of("pause:mend", job));

    check(expected, found, job);
  }

  private SparkApplication application(String name, int replicas, String local) {
    return FaultCluster.impatient(
            SparkApplication.onSluice(directory.resolve(name), cluster.quorum()))
        .set("spark.rss.data.replica", Integer.toString(replicas))
        .set("spark.rss.local.output", local)
        .at("mend", this::mend);
  }

  private void check(Outcomes expected, Outcome found, String job) {
    long again = found.number(job, "mapTasks") - Expectation.MAPS;
    System.out.printf(
        "%s: %d maps again, fetch failures %d, other failures %d%n",
        job, again, found.number(job, "fetchFailures"), found.number(job, "otherFailures"));
    switch (expected) {
      case RUNS_NOTHING_AGAIN -> {
        assertThat(found.digest(job)).isEqualTo(BuiltInDigests.of(job));
        assertThat(again).isZero();
        assertThat(found.number(job, "failedTasks")).isZero();
      }
      case MAY_RUN_MAPS_AGAIN -> {
        assertThat(found.digest(job)).isEqualTo(BuiltInDigests.of(job));
        assertThat(again).isBetween(0L, (long) Expectation.MAPS);
        assertThat(found.number(job, "otherFailures")).isBetween(0L, REDUCE_TASKS);
      }
      case RUNS_MAPS_AGAIN -> {
        assertThat(found.digest(job)).isEqualTo(BuiltInDigests.of(job));
        assertThat(again).isEqualTo(Expectation.MAPS);
        // Reduce tasks without the newest assignment fail on their own, each at most once.
        assertThat(found.number(job, "otherFailures")).isBetween(0L, REDUCE_TASKS);
      }
      case FAILS -> assertThat(found.error(job).orElseThrow()).startsWith("Job aborted");
    }
  }

  private void mend() throws IOException, InterruptedException {
    for (int server = 0; server < SERVERS; server++) {
      if (!cluster.servers().get(server).isAlive()) {
        cluster.servers().get(server).start();
      }
    }
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  /** Expected end of a job. */
  enum Outcomes {
    RUNS_NOTHING_AGAIN,
    /** If the replacement server of a pair of replicas is the one that is lost next. */
    MAY_RUN_MAPS_AGAIN,
    RUNS_MAPS_AGAIN,
    FAILS
  }
}
