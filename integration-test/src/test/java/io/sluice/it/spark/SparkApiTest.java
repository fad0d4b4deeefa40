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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Other uses of shuffles, in one application with two hosts and speculation: cached and
 * unreferenced shuffles, thousands of partitions, losing attempts, barrier and repeated stages,
 * streams with state. Results must equal those of the built-in shuffle.
 */
@Tag("nightly")
@TestInstance(Lifecycle.PER_CLASS)
class SparkApiTest {
  private static final List<String> JOBS =
      List.of(
          "cachedThenShuffled",
          "longLineage",
          "forgottenShuffles",
          "twentyThousandPartitions",
          "speculated",
          "barrier",
          "readInPart",
          "streaming",
          "indeterminate");

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private Outcome own;
  private Outcome found;
  private int shufflesBefore;
  private int shufflesLeft;

  @BeforeAll
  void runEverything() throws IOException, InterruptedException {
    own = new SparkApplication(directory.resolve("own")).set("spark.master", "local[4]").run(JOBS);
    assertThat(own.exitCode()).as(own.log()).isZero();
    cluster = TestCluster.builder(directory.resolve("cluster")).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, Duration.ofSeconds(30));
    ClusterNode server = cluster.servers().get(0);
    found =
        SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
            .set("spark.master", "two-hosts")
            .set("spark.speculation", "true")
            .set("spark.speculation.interval", "100ms")
            .set("spark.speculation.quantile", "0.5")
            .set("spark.speculation.minTaskRuntime", "3s")
            // A map task has several times this size.
            .set("spark.rss.writer.buffer.spill.size", "256k")
            .at("remembered", () -> shufflesBefore = shuffles())
            .at("forgotten", this::awaitFewerShuffles)
            .at(
                "dealt",
                () -> {
                  server.kill();
                  server.start();
                  probe.awaitActiveServers(2, TIMEOUT);
                })
            .run(JOBS);
    assertThat(found.exitCode()).as(found.log()).isZero();
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  /** Number of shuffles on both servers; a shuffle on both servers counts twice. */
  private int shuffles() throws IOException {
    int sum = 0;
    for (ClusterNode server : cluster.servers()) {
      sum += probe.status(server).getShuffles();
    }
    return sum;
  }

  private void awaitFewerShuffles() throws IOException {
    long begun = System.nanoTime();
    do {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      shufflesLeft = shuffles();
    } while (shufflesLeft > 4 && System.nanoTime() - begun < TIMEOUT.toNanos());
  }

  @Test
  void everyJobHasTheSameRows() {
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "rows")).as(job).isEqualTo(own.number(job, "rows"));
    }
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
  }

  @Test
  void unreferencedShufflesAreDeletedAtTheServers() {
    // 31 shuffles of one lineage, each on one server or both.
    assertThat(shufflesBefore).isGreaterThan(20);
    assertThat(shufflesLeft).isLessThanOrEqualTo(4);
  }

  @Test
  void blocksOfALosingAttemptAreNotRead() {
    assertThat(found.number("speculated", "killedTasks")).isPositive();
    assertThat(found.number("speculated", "killedBytesWritten")).isPositive();
    assertThat(found.number("speculated", "fetchFailures")).isZero();
  }

  @Test
  void aBarrierStageIsRepeatedAsAWhole() {
    assertThat(found.number("barrier", "otherFailures")).isPositive();
  }

  @Test
  void aNondeterministicRepartitionIsRepeatedAsAWhole() {
    assertThat(found.number("indeterminate", "fetchFailures")).isPositive();
    // Without the loss: 6 maps that group and 6 that repartition, then 8 that count by hash.
    long without = own.number("indeterminate", "mapTasks");
    assertThat(found.number("indeterminate", "mapTasks")).isGreaterThanOrEqualTo(without + 6);
  }

  @Test
  void metricsAreThoseOfTheBuiltInShuffle() {
    for (String job : List.of("cachedThenShuffled", "longLineage", "streaming")) {
      assertThat(found.number(job, "recordsRead"))
          .as(job)
          .isEqualTo(own.number(job, "recordsRead"));
      assertThat(found.number(job, "fetchWaitMs")).as(job).isNotNegative();
      assertThat(found.number(job, "localBlocks")).as(job).isZero();
      assertThat(found.number(job, "remoteBlocks")).as(job).isPositive();
    }
    // Iterators are released early: only consumed records are counted.
    assertThat(found.number("readInPart", "recordsRead")).isPositive();
  }
}
