package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.JobKinds;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.it.spark.SparkVersion;
import io.sluice.localcluster.ClusterCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Spark on YARN: executors are containers, and so is the driver in cluster mode. Results must equal
 * those of the built-in shuffle, all data must pass through servers, and no container may be
 * requested on the placeholder host of map outputs.
 */
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(SharedClusters.class)
@Tag("nightly")
final class SparkOnYarnTest {
  private static final String CLIENT = "client";
  private static final String CLUSTER = "cluster";
  private static final String ANY_HOST = "*";

  /** Host of all node managers. */
  private static final String NODE_HOST = "localhost";

  /** Job that throws a fetch failure that names an executor. */
  private static final String BLAMED = "executorBlamed";

  /** Jobs that add or remove executors. */
  private static final List<String> CHANGING_EXECUTORS =
      List.of("idleExecutors", "decommissioned", "lostExecutor");

  private static final String MORE_EXECUTORS = "moreExecutors";
  private static final SparkVersion SPARK = SparkVersion.current();

  private final Clusters clusters;
  private final Path directory;

  SparkOnYarnTest(Clusters clusters) throws IOException {
    this.clusters = clusters;
    this.directory = clusters.directory("spark");
  }

  private Outcome builtIn(String name, List<String> jobs) throws IOException, InterruptedException {
    Outcome outcome =
        new SparkApplication(directory.resolve(name))
            // Tasks may fail once.
            .set("spark.master", "local[2,2]")
            .run(jobs);
    assertThat(outcome.exitCode()).as(outcome.log()).isZero();
    return outcome;
  }

  /** The plugin's jar comes with the application. */
  private SparkApplication application(String name, String deployMode) throws IOException {
    return SparkApplication.onYarn(
            SPARK,
            directory.resolve(name),
            clusters.sluice().quorum(),
            clusters.yarn().configuration(),
            deployMode)
        // YARN copies the files of --jars to the working directory of a container.
        .set("spark.executor.extraClassPath", SPARK.clientJar().getFileName().toString());
  }

  private static SparkApplication allocatingDynamically(SparkApplication application) {
    return application
        .set("spark.dynamicAllocation.enabled", "true")
        .set("spark.dynamicAllocation.schedulerBacklogTimeout", "1s");
  }

  /** Checks that the application succeeded and that all shuffle data was on servers. */
  private void assertRanOnYarn(Outcome found, String deployMode, ClusterCounters before)
      throws IOException, InterruptedException {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.setting("spark.master")).isEqualTo("yarn");
    assertThat(found.setting("spark.submit.deployMode")).isEqualTo(deployMode);
    assertThat(clusters.finalStatus(application(found))).isEqualTo("SUCCEEDED");
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
    assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
    ClusterCounters did = clusters.probe().counters().since(before);
    assertThat(did.pushedBytes()).as("bytes pushed to servers").isPositive();
    assertThat(did.fetchedBytes()).as("bytes fetched from servers").isPositive();
  }

  private static String application(Outcome outcome) {
    return outcome.setting("spark.app.id");
  }

  @ParameterizedTest
  @ValueSource(strings = {CLIENT, CLUSTER})
  void jobsOfEveryKindAreTheSame(String deployMode) throws IOException, InterruptedException {
    List<String> jobs =
        Stream.of(
                JobKinds.SHUFFLES, JobKinds.OTHERS, JobKinds.MIXED, List.of(JobKinds.FAILING_TASKS))
            .flatMap(List::stream)
            .distinct()
            .toList();
    Outcome own = builtIn("own-" + deployMode, jobs);
    ClusterCounters before = clusters.probe().counters();

    Outcome found = application("every-" + deployMode, deployMode).run(jobs);

    assertRanOnYarn(found, deployMode, before);
    JobKinds.assertSame(own, found, jobs.stream().filter(job -> !job.equals(BLAMED)).toList());
    // Only output of the named executor is recomputed.
    assertThat(found.digest(BLAMED)).isEqualTo(own.digest(BLAMED));
    assertThat(found.number(BLAMED, "failedStages")).isEqualTo(1);
    assertThat(found.number(BLAMED, "mapTasks"))
        .isLessThanOrEqualTo(own.number(BLAMED, "mapTasks"));
    for (String job : jobs) {
      assertThat(found.number(job, "localBytesRead")).as(job + " read from local disks").isZero();
    }
    for (String job : JobKinds.OTHERS) {
      assertThat(found.preferredHosts(job)).as(job + " preferred hosts").isEmpty();
    }
    for (String job : JobKinds.MIXED) {
      assertThat(found.preferredHosts(job)).as(job + " preferred hosts").isSubsetOf(NODE_HOST);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {CLIENT, CLUSTER})
  void noMapTaskIsRepeatedWhenExecutorsAreRemoved(String deployMode)
      throws IOException, InterruptedException {
    Outcome own = builtIn("own-going-" + deployMode, CHANGING_EXECUTORS);
    ClusterCounters before = clusters.probe().counters();

    Outcome found =
        allocatingDynamically(application("going-" + deployMode, deployMode))
            .set("spark.dynamicAllocation.minExecutors", "0")
            .set("spark.dynamicAllocation.maxExecutors", "2")
            .set("spark.dynamicAllocation.executorIdleTimeout", "1s")
            .set("spark.decommission.enabled", "true")
            .set("spark.storage.decommission.enabled", "true")
            .set("spark.storage.decommission.shuffleBlocks.enabled", "true")
            .run(CHANGING_EXECUTORS);

    assertRanOnYarn(found, deployMode, before);
    for (String job : CHANGING_EXECUTORS) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "mapTasks")).as(job).isEqualTo(own.number(job, "mapTasks"));
      assertThat(found.number(job, "fetchFailures")).as(job).isZero();
    }
    assertThat(found.number("lostExecutor", "lostTasks")).isPositive();
    assertThat(clusters.requestedLocations(application(found))).containsExactly(ANY_HOST);
  }

  @ParameterizedTest
  @ValueSource(strings = {CLIENT, CLUSTER})
  void containersAreRequestedNearCachedPartitionsOnly(String deployMode)
      throws IOException, InterruptedException {
    List<String> jobs = List.of(MORE_EXECUTORS);
    Outcome own = builtIn("own-more-" + deployMode, jobs);
    ClusterCounters before = clusters.probe().counters();

    Outcome found =
        allocatingDynamically(application("more-" + deployMode, deployMode))
            .set("spark.executor.instances", "1")
            .set("spark.dynamicAllocation.minExecutors", "1")
            .set("spark.dynamicAllocation.maxExecutors", "3")
            .run(jobs);

    assertRanOnYarn(found, deployMode, before);
    assertThat(found.digest(MORE_EXECUTORS)).isEqualTo(own.digest(MORE_EXECUTORS));
    assertThat(found.preferredHosts(MORE_EXECUTORS)).containsExactly(NODE_HOST);
    assertThat(clusters.requestedLocations(application(found)))
        .containsExactlyInAnyOrder(ANY_HOST, "/default-rack", NODE_HOST);
  }
}
