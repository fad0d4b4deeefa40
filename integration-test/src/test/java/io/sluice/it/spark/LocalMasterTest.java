package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.cluster.ClusterProbe;
import io.sluice.demo.cluster.LocalCluster;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs of every kind with a local master, where the driver is the only executor and Spark offers it
 * tasks only when one ends: a task that waits for another host never starts, and the driver is
 * ended when its time is over.
 */
@TestInstance(Lifecycle.PER_CLASS)
class LocalMasterTest {
  /** Stages of these also read partitions that have a preferred location. */
  private static final List<String> MIXED =
      List.of(
          "cachedUnion",
          "cachedJoin",
          "cachedBesideSkewSplits",
          "cachedBesideLocalReads",
          "cachedRddUnion",
          "checkpointedUnion",
          "zipped",
          "cachedThenShuffled");

  private static final List<String> OTHERS =
      List.of(
          "union",
          "cogroup",
          "sortByKey",
          "repartitionAndSort",
          "twoStages",
          "skewJoin",
          "localReader",
          "barrier",
          "accumulators",
          "executorBlamed");

  /** Retries of tasks need a master that allows them. */
  private static final String FAILING_TASKS = "failingTasks";

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private Outcome own;

  @BeforeAll
  void startClusterAndRunTheBaseline() throws IOException, InterruptedException {
    cluster = TestCluster.builder(directory.resolve("cluster")).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, Duration.ofSeconds(30));
    List<String> jobs = new ArrayList<>(OTHERS);
    jobs.addAll(MIXED);
    own = new SparkApplication(directory.resolve("own")).run(jobs);
    assertThat(own.exitCode()).as(own.log()).isZero();
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private static void assertSame(Outcome own, Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job)).doesNotContain("error");
      for (String count : List.of("mapTasks", "failedStages", "otherFailures")) {
        assertThat(found.number(job, count))
            .as(job + " " + count)
            .isEqualTo(own.number(job, count));
      }
    }
  }

  @Test
  void jobsAreTheSame() throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.onSluice(directory.resolve("others"), cluster.quorum())
            .set("spark.master", "local[2]")
            .run(OTHERS);

    assertSame(own, found, OTHERS);
    for (String job : OTHERS) {
      assertThat(preferredHosts(found, job)).as(job + " preferred hosts").isEmpty();
    }
    assertThat(own.number("executorBlamed", "failedStages")).isEqualTo(1);
  }

  @Test
  void stagesThatAlsoReadCachedPartitionsEnd() throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.onSluice(directory.resolve("mixed"), cluster.quorum())
            .set("spark.master", "local[2]")
            .set("spark.shuffle.reduceLocality.enabled", "true")
            .run(MIXED);

    assertSame(own, found, MIXED);
    for (String job : MIXED) {
      assertThat(preferredHosts(found, job))
          .as(job + ": that of the driver, for cached partitions only")
          .isSubsetOf(preferredHosts(own, job));
    }
  }

  @Test
  void failedTasksRunAgain() throws IOException, InterruptedException {
    List<String> jobs = List.of(FAILING_TASKS);
    Outcome expected =
        new SparkApplication(directory.resolve("own-failing"))
            .set("spark.master", "local[2,2]")
            .run(jobs);

    Outcome found =
        SparkApplication.onSluice(directory.resolve("failing"), cluster.quorum())
            .set("spark.master", "local[2,2]")
            .run(jobs);

    assertSame(expected, found, jobs);
    assertThat(found.number(FAILING_TASKS, "otherFailures")).isEqualTo(2);
  }

  private static List<String> preferredHosts(Outcome outcome, String job) {
    String hosts = outcome.results().getProperty(job + ".preferredHosts");
    return hosts.isEmpty() ? List.of() : List.of(hosts.split(",", -1));
  }
}
