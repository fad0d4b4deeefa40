package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** A session forgets three queries, and collects the data frame of the fourth one again. */
@TestInstance(Lifecycle.PER_CLASS)
class IdleShufflesTest {
  private static final String JOB = "keptDataFrame";
  private static final int MAPS_OF_A_QUERY = 6;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

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
    own =
        new SparkApplication(directory.resolve("own"))
            .set("spark.master", "local[2]")
            .run(List.of(JOB));
    assertThat(own.exitCode()).as(own.log()).isZero();
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private SparkApplication session(String name) {
    return SparkApplication.onSluice(directory.resolve(name), cluster.quorum())
        .set("spark.master", "local[2]");
  }

  /** Waits until servers have this number of shuffles; a shuffle on both servers counts twice. */
  private void awaitShuffles(int expected) throws IOException, InterruptedException {
    probe.await(
        "both servers together to have " + expected + " shuffles",
        TIMEOUT,
        () -> {
          int sum = 0;
          for (ClusterNode server : cluster.servers()) {
            sum += probe.status(server).getShuffles();
          }
          return sum == expected;
        });
  }

  private void assertSame(Outcome found, int repeatedMaps) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest(JOB)).isEqualTo(own.digest(JOB));
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.number(JOB, "mapTasks")).isEqualTo(own.number(JOB, "mapTasks") + repeatedMaps);
    assertThat(found.number(JOB, "failedStages")).isZero();
  }

  @Test
  void shufflesOfForgottenQueriesAreDeletedAndTheOtherOneIsReadAgain()
      throws IOException, InterruptedException {
    Outcome found =
        session("collected")
            .set("spark.rss.cleanup.idle.time", "200ms")
            .set("spark.rss.cleanup.idle.size", "1")
            .at("idle", () -> awaitShuffles(2))
            .run(List.of(JOB));

    assertSame(found, 0);
  }

  @Test
  @Tag("nightly")
  void mapTasksOfAnExpiredShuffleRunAgain() throws IOException, InterruptedException {
    Outcome found =
        session("expired")
            .set("spark.rss.cleanup.idle.time", "0")
            .set("spark.rss.cleanup.expire.time", "200ms")
            .at("idle", () -> awaitShuffles(0))
            .run(List.of(JOB));

    assertSame(found, MAPS_OF_A_QUERY);
  }
}
