package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Removal of idle, decommissioned and killed executors without an external shuffle service. Their
 * output is read from servers, and no completed map task is repeated. Executors with files of the
 * built-in shuffle stay.
 */
class DynamicAllocationTest {
  private static final List<String> JOBS =
      List.of("idleExecutors", "decommissioned", "lostExecutor");

  private static final String WRITERS = "idleWriters";

  @TempDir static Path directory;

  @Test
  void idleExecutorsAreReleasedUnlessTheyStoreFilesOfTheBuiltInShuffle()
      throws IOException, InterruptedException {
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("idle-cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));
        Outcome atServers = idleWriters("at-servers", cluster.quorum());
        Outcome fallenBack = idleWriters("fallen-back", "127.0.0.1:1");

        assertThat(atServers.digest(WRITERS)).isEqualTo(BuiltInDigests.of(WRITERS));
        assertThat(atServers.fallbacks()).isEmpty();
        assertThat(writers(atServers)).matches("wrote (\\d) released \\1");

        assertThat(fallenBack.digest(WRITERS)).isEqualTo(BuiltInDigests.of(WRITERS));
        assertThat(fallenBack.shufflesOnSluice()).isZero();
        assertThat(writers(fallenBack)).matches("wrote \\d released 0");
      }
    }
  }

  private static Outcome idleWriters(String name, String quorum)
      throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.onSluice(directory.resolve(name), quorum)
            .withOneExecutor()
            .set("spark.dynamicAllocation.enabled", "true")
            .set("spark.dynamicAllocation.initialExecutors", "1")
            .set("spark.dynamicAllocation.maxExecutors", "1")
            // Longer than the test: the job counts executors that would be released after this
            // time.
            .set("spark.dynamicAllocation.executorIdleTimeout", "1h")
            .run(List.of(WRITERS));
    assertThat(found.exitCode()).as(found.log()).isZero();
    return found;
  }

  private static String writers(Outcome outcome) {
    return outcome.results().getProperty(WRITERS + ".plan");
  }

  @Test
  @Tag("nightly")
  void noMapTaskIsRepeatedWhenExecutorsAreRemoved() throws IOException, InterruptedException {
    Outcome own = new SparkApplication(directory.resolve("own")).run(JOBS);
    assertThat(own.exitCode()).isZero();
    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build()) {
      cluster.start();
      try (ClusterProbe probe = new ClusterProbe(cluster)) {
        probe.awaitActiveServers(2, Duration.ofSeconds(30));

        Outcome found =
            SparkApplication.onSluice(directory.resolve("sluice"), cluster.quorum())
                .set("spark.dynamicAllocation.enabled", "true")
                .set("spark.dynamicAllocation.minExecutors", "0")
                .set("spark.dynamicAllocation.initialExecutors", "2")
                .set("spark.dynamicAllocation.maxExecutors", "2")
                .set("spark.dynamicAllocation.executorIdleTimeout", "1s")
                .set("spark.dynamicAllocation.schedulerBacklogTimeout", "1s")
                .set("spark.executor.cores", "1")
                .set("spark.decommission.enabled", "true")
                .set("spark.storage.decommission.enabled", "true")
                .set("spark.storage.decommission.shuffleBlocks.enabled", "true")
                .run(JOBS);

        assertThat(found.exitCode()).as(found.log()).isZero();
        for (String job : JOBS) {
          assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
          long repeated = found.number(job, "mapTasks") - own.number(job, "mapTasks");
          boolean mayRepeat =
              job.equals("lostExecutor") && !SparkVersion.current().asksForReliableStorage();
          assertThat(repeated)
              .as(job + ": repeated map tasks")
              .isBetween(0L, mayRepeat ? own.number(job, "mapTasks") : 0);
          assertThat(found.number(job, "fetchFailures")).as(job).isZero();
          assertThat(found.number(job, "localBytesRead")).as(job).isZero();
        }
        assertThat(found.number("idleExecutors", "failedTasks")).isZero();
        assertThat(found.number("decommissioned", "failedTasks")).isZero();
        assertThat(found.number("lostExecutor", "lostTasks")).isPositive();
      }
    }
  }
}
