package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs of every kind with a local master, where the driver is the only executor. Spark offers tasks
 * only when another task ends, so a task that waits for another host never starts, and the driver
 * is killed at its time limit.
 */
@TestInstance(Lifecycle.PER_CLASS)
class LocalMasterTest {
  /** Many times the duration of a run, but short enough to detect a task that never starts. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Two task threads; each task may fail once. */
  private static final String TWO_ATTEMPTS = "local[2,2]";

  private static final List<String> OTHERS =
      Stream.concat(JobKinds.OTHERS.stream(), Stream.of(JobKinds.FAILING_TASKS)).toList();

  /** Jobs whose stages also read cached or checkpointed partitions. */
  private static final List<String> MIXED =
      Stream.concat(JobKinds.MIXED.stream(), Stream.of("cachedBesideCleaned")).toList();

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
    own =
        new SparkApplication(directory.resolve("own")).set("spark.master", TWO_ATTEMPTS).run(jobs);
    assertThat(own.exitCode()).as(own.log()).isZero();
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private SparkApplication onSluice(String name, String master) {
    return SparkApplication.onSluice(directory.resolve(name), cluster.quorum())
        .set("spark.master", master)
        .endAfter(LIMIT);
  }

  @Test
  void jobsAreTheSame() throws IOException, InterruptedException {
    Outcome found = onSluice("others", TWO_ATTEMPTS).run(OTHERS);

    JobKinds.assertSame(own, found, OTHERS);
    for (String job : OTHERS) {
      assertThat(found.preferredHosts(job)).as(job + " preferred hosts").isEmpty();
    }
    assertThat(own.number("executorBlamed", "failedStages")).isEqualTo(1);
    assertThat(own.number(JobKinds.FAILING_TASKS, "otherFailures")).isEqualTo(2);
  }

  @Test
  void stagesThatAlsoReadCachedPartitionsEnd() throws IOException, InterruptedException {
    Outcome found =
        onSluice("mixed", "local[2]")
            .set("spark.shuffle.reduceLocality.enabled", "true")
            .run(MIXED);

    JobKinds.assertSame(own, found, MIXED);
    for (String job : MIXED) {
      assertThat(found.preferredHosts(job))
          .as(job + ": preferred host is the driver's, for cached partitions only")
          .isSubsetOf(own.preferredHosts(job));
    }
  }

  @Test
  @Tag("nightly")
  void aRemovedShuffleRunsAgainWithoutServers() throws IOException, InterruptedException {
    List<String> jobs = List.of("cachedBesideCleaned");
    Outcome found =
        onSluice("removed", "local[2]").set("spark.rss.local.output", "NEVER").run(jobs);

    JobKinds.assertSame(own, found, jobs);
  }
}
