package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Repeated, speculative and killed task attempts. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class AttemptFaultTest {
  private final Clusters clusters;

  AttemptFaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @Test
  void fetchesWhileMapsRunAndSurvivesEndedProcesses() throws Exception {
    ClusterCounters before = clusters.probe().counters();
    GatedJob job =
        new GatedJob(clusters, "attempts-killed", 12)
            .set(GatedJob.SLOW_START, "0.0")
            .shut("map-1")
            .shut("reduce-0")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    job.await(
        "reducers fetch available outputs",
        () -> clusters.probe().counters().since(before).fetchedBytes() > 0);
    job.awaitAttempt("m_000001_0").process().destroyForcibly();
    job.open("map-1");
    job.awaitFinishedTasks(GatedJob.MAPS + GatedJob.REDUCES - 1);
    job.awaitAttempt("r_000000_0").process().destroyForcibly();
    job.open("reduce-0");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS + 1);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(GatedJob.REDUCES + 1);
  }

  @Test
  void survivesAttemptsThatUsersKillOrFail() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "attempts-of-users", 20)
            .set(GatedJob.SLOW_START, "0.0")
            .shut("map-1-attempt-0")
            .shut("map-2-attempt-0")
            .shut("reduce-0-attempt-0")
            .shut("reduce-1-attempt-0")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 2);
    job.onAttempt("-kill-task", "m_000001_0");
    job.onAttempt("-fail-task", "m_000002_0");
    job.awaitFinishedTasks(GatedJob.MAPS + GatedJob.REDUCES - 2);
    job.onAttempt("-kill-task", "r_000000_0");
    job.onAttempt("-fail-task", "r_000001_0");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS + 2);
    assertThat(outcome.counter("Killed map tasks")).isEqualTo(1);
    assertThat(outcome.counter("Failed map tasks")).isEqualTo(1);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(GatedJob.REDUCES + 2);
    assertThat(outcome.counter("Killed reduce tasks")).isEqualTo(1);
    assertThat(outcome.counter("Failed reduce tasks")).isEqualTo(1);
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  @Test
  void readsOneOfTwoConcurrentAttempts() throws Exception {
    GatedJob job =
        // Enough rows that those of one reducer do not fit into the pipe to a waiting process.
        new GatedJob(clusters, "speculation", 16, 80_000)
            .set("mapreduce.map.speculative", "true")
            .set("mapreduce.reduce.speculative", "true")
            .shut("map-2-attempt-0")
            .shut("reduce-0-attempt-0")
            .shut("reduce-0-attempt-1")
            .start();
    YarnContainer second = job.awaitAttempt("r_000000_1");
    YarnContainer first = job.awaitAttempt("r_000000_0");
    assertThat(second.process().isAlive()).isTrue();
    assertThat(first.process().isAlive()).isTrue();
    job.open("reduce-0-attempt-1");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isGreaterThan(GatedJob.MAPS);
    assertThat(outcome.counter("Launched reduce tasks")).isGreaterThan(GatedJob.REDUCES);
    assertThat(outcome.counter("Failed map tasks")).isZero();
    assertThat(outcome.counter("Failed reduce tasks")).isZero();
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  @Test
  void serversDeleteDataOfKilledJobs() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "job-killed", 23)
            .set(GatedJob.SLOW_START, "0.0")
            .shut("map-3")
            .shut("reduce-0")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    String application = job.awaitAttempt("m_000003_0").application();
    assertThat(clusters.probe().applications()).contains(application);
    assertThat(clusters.serversThatKnowApplications()).isEqualTo(Clusters.SERVERS);
    job.kill();

    assertThat(job.awaitEnd().exitCode()).isNotZero();
    clusters.await(
        "servers have forgotten the job",
        () ->
            !clusters.probe().applications().contains(application)
                && clusters.serversThatKnowApplications() == 0);
  }
}
