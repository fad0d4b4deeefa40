package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Adaptive execution over Sluice: rows must equal those of the built-in shuffle, and servers must
 * not read much more than needed. All jobs run in one application; the test reads the servers'
 * counters between jobs. Eight map tasks run at a time, so that blocks of many maps are interleaved
 * in each partition. Direct reads are off, so that servers count all reads.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("nightly")
class AdaptiveTest {
  private static final List<String> JOBS =
      List.of(
          "coalesced",
          "manySplits",
          "rebalanced",
          "rebalancedRoundRobin",
          "repartitionHints",
          "prunedPartitions",
          "reorderedJoins",
          "broadcastAfterShuffle",
          "broadcastAfterShuffleLocalRead");

  private static final int SERVERS = 2;
  private static final double MOST_READ_AGAIN = 1.2;

  @TempDir static Path directory;

  private Outcome own;
  private Outcome found;
  private final Map<String, ClusterCounters> did = new HashMap<>();

  @BeforeAll
  void runEverything() throws IOException, InterruptedException {
    own = new SparkApplication(directory.resolve("own")).run(JOBS);
    assertThat(own.exitCode()).isZero();
    try (LocalCluster cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .configureServers("rss.server.buffer.capacity", "32MiB")
            .build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
        SparkApplication application =
            SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
                .set("spark.master", "local-cluster[2,4,1024]")
                .set("spark.rss.client.read.shortcircuit.enabled", "false");
        List<String> steps = new ArrayList<>();
        ClusterCounters[] before = {probe.counters()};
        for (String job : JOBS) {
          steps.add(job);
          steps.add("pause:after-" + job);
          application.at(
              "after-" + job,
              () -> {
                ClusterCounters now = probe.counters();
                did.put(job, now.since(before[0]));
                before[0] = now;
              });
        }
        found = application.run(steps);
      }
    }
    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : JOBS) {
      System.out.printf("%s: %d ms, %s%n", job, found.number(job, "ms"), did.get(job));
    }
  }

  /** Bytes that servers sent per byte that they accepted. */
  private double readAgain(String job) {
    return (double) did.get(job).fetchedBytes() / did.get(job).pushedBytes();
  }

  private String plan(String job) {
    return found.results().getProperty(job + ".plan");
  }

  @Test
  void everyJobHasTheSameRows() {
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "rows")).as(job).isEqualTo(own.number(job, "rows"));
      assertThat(found.number(job, "failedTasks")).as(job).isZero();
      assertThat(found.number(job, "localBytesRead")).as(job).isZero();
    }
  }

  @Test
  void aCoalescedRangeNeedsOneOpenAndAFewFetchesPerServer() {
    assertThat(plan("coalesced")).contains("AQEShuffleRead coalesced");
    ClusterCounters counted = did.get("coalesced");
    long tasks = found.number("coalesced", "resultTasks");
    // An Open names at most 4096 partitions.
    long most = SERVERS * (tasks + 20_000 / 4096 + 1);
    assertThat(counted.opens()).isPositive().isLessThanOrEqualTo(most);
    assertThat(counted.fetches()).isPositive().isLessThanOrEqualTo(most);
  }

  @Test
  void skewSplitsReadLittleTwice() {
    assertThat(plan("manySplits")).contains("coalesced and skewed");
    assertThat(readAgain("manySplits")).isLessThanOrEqualTo(MOST_READ_AGAIN);
  }

  @Test
  void rebalancingReadsLittleTwice() {
    assertThat(plan("rebalanced")).contains("skewed");
    assertThat(readAgain("rebalanced")).isLessThanOrEqualTo(MOST_READ_AGAIN);
    assertThat(readAgain("rebalancedRoundRobin")).isLessThanOrEqualTo(MOST_READ_AGAIN);
    assertThat(readAgain("repartitionHints")).isLessThanOrEqualTo(MOST_READ_AGAIN);
  }

  @Test
  void joinsThatBecomeBroadcastsReadByPartitionUnlessTheSessionWantsLocalReads() {
    assertThat(plan("broadcastAfterShuffle"))
        .contains("BroadcastHashJoin")
        .doesNotContain("AQEShuffleRead local");
    assertThat(readAgain("broadcastAfterShuffle")).isLessThanOrEqualTo(MOST_READ_AGAIN);
    assertThat(plan("broadcastAfterShuffleLocalRead")).contains("AQEShuffleRead local");
  }

  @Test
  void prunedDataIsNotRead() {
    assertThat(plan("prunedPartitions")).contains("dynamicpruning");
    assertThat(readAgain("prunedPartitions")).isLessThanOrEqualTo(MOST_READ_AGAIN);
    assertThat(readAgain("reorderedJoins")).isLessThanOrEqualTo(MOST_READ_AGAIN);
  }
}
