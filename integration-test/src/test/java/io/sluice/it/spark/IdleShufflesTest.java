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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions whose idle and consumed shuffles are deleted, and that read some of them again. */
@TestInstance(Lifecycle.PER_CLASS)
class IdleShufflesTest {
  /** Forgets three queries, and collects the data frame of the fourth one again. */
  private static final String JOB = "keptDataFrame";

  /** Collects the same data frame twice; its plan has two shuffles. */
  private static final String CHAIN = "keptChain";

  /** Plans that read shuffles more than once, or in another way than the first plan. */
  private static final List<String> READ_AGAIN =
      List.of(
          "reusedExchange",
          "cachedUnion",
          "cachedJoin",
          "cachedBesideSkewSplits",
          "skewJoin",
          "localReader",
          "broadcastAfterShuffle",
          "prunedPartitions",
          "window");

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
            .run(Stream.concat(Stream.of(JOB, CHAIN), READ_AGAIN.stream()).toList());
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
    return session(SparkVersion.current(), name);
  }

  /** A session that deletes no shuffle early, unless the test sets a time. */
  private SparkApplication session(SparkVersion spark, String name) {
    return SparkApplication.onSluice(spark, directory.resolve(name), cluster.quorum())
        .set("spark.master", "local[2]")
        .set("spark.rss.cleanup.idle.time", "0");
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
          if (sum != expected) {
            throw new IOException("they have " + sum);
          }
          return true;
        });
  }

  private void assertSame(Outcome found, String job, long repeatedMaps) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.number(job, "mapTasks"))
        .as(job)
        .isEqualTo(own.number(job, "mapTasks") + repeatedMaps);
    assertThat(found.number(job, "failedStages")).as(job).isZero();
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

    assertSame(found, JOB, 0);
  }

  @Test
  @Tag("nightly")
  void mapTasksOfAnExpiredShuffleRunAgain() throws IOException, InterruptedException {
    Outcome found =
        session("expired")
            .set("spark.rss.cleanup.expire.time", "200ms")
            .at("idle", () -> awaitShuffles(0))
            .run(List.of(JOB));

    assertSame(found, JOB, MAPS_OF_A_QUERY);
  }

  /** Of the two shuffles of the plan, one is left when the data frame is used again. */
  private Outcome consumed(SparkVersion spark) throws IOException, InterruptedException {
    return session(spark, "consumed-" + spark.label())
        .set("spark.rss.cleanup.consumed.time", "50ms")
        .at("idle", () -> awaitShuffles(2))
        .run(List.of(CHAIN));
  }

  @Test
  void aConsumedShuffleIsDeletedAndTheDataFrameIsUsedAgain()
      throws IOException, InterruptedException {
    assertSame(consumed(SparkVersion.current()), CHAIN, 0);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("nightly")
  void aConsumedShuffleIsDeletedOnEveryVersion(SparkVersion spark)
      throws IOException, InterruptedException {
    Outcome found = consumed(spark);

    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest(CHAIN)).isEqualTo(own.digest(CHAIN));
  }

  @Test
  @Tag("nightly")
  void mapTasksOfConsumedAndExpiredShufflesRunAgain() throws IOException, InterruptedException {
    Outcome found =
        session("chain-expired")
            .set("spark.rss.cleanup.consumed.time", "50ms")
            .set("spark.rss.cleanup.expire.time", "200ms")
            .at("idle", () -> awaitShuffles(0))
            .run(List.of(CHAIN));

    assertSame(found, CHAIN, own.number(CHAIN, "mapTasks"));
  }

  @Test
  @Tag("nightly")
  void shufflesThatArePlannedToBeReadAgainAreNotConsumed()
      throws IOException, InterruptedException {
    Outcome found =
        session("read-again").set("spark.rss.cleanup.consumed.time", "1ms").run(READ_AGAIN);

    assertThat(found.linesWith("consumed shuffle deleted")).isPositive();
    JobKinds.assertSame(own, found, READ_AGAIN);
  }
}
