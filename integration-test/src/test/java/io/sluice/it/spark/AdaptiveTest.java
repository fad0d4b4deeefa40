package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.cluster.ClusterProbe;
import io.sluice.demo.cluster.LocalCluster;
import io.sluice.demo.cluster.ServerCounters;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Adaptive execution over Sluice: the same rows as over Spark's own shuffle, and what the servers
 * did for it. All jobs run in one application, the servers' counters are read between them. Eight
 * map tasks run at a time, so that blocks of many maps lie mixed in each partition, and files are
 * read through servers only, so that servers count everything.
 */
@TestInstance(Lifecycle.PER_CLASS)
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

  private static final double MOST_READ_AGAIN = 1.2;

  @TempDir static Path directory;

  private Outcome own;
  private Outcome found;
  private final Map<String, ServerCounters> did = new HashMap<>();

  @BeforeAll
  void runEverything() throws IOException, InterruptedException {
    own =
        new SparkApplication(directory.resolve("own")).set("spark.master", "local[2]").run(JOBS);
    assertThat(own.exitCode()).isZero();
    try (LocalCluster cluster =
        LocalCluster.builder()
            .directory(directory.resolve("cluster"))
            .classPath(System.getProperty("java.class.path"))
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
        ServerCounters[] before = {probe.counters()};
        for (String job : JOBS) {
          steps.add(job);
          steps.add("pause:after-" + job);
          application.at(
              "after-" + job,
              () -> {
                ServerCounters now = probe.counters();
                did.put(job, now.since(before[0]));
                before[0] = now;
              });
        }
        found = application.run(steps);
      }
    }
    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : JOBS) {
      System.out.println(
          job + " " + did.get(job) + " plan " + found.number(job, "rows") + " " + readAgain(job)
              + " ms " + found.number(job, "ms"));
    }
  }

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
  void manySplitsReadNothingTwice() {
    assertThat(plan("manySplits")).contains("coalesced and skewed");
    assertThat(readAgain("manySplits")).isLessThanOrEqualTo(MOST_READ_AGAIN);
  }
}
