package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cost of the loss of servers. Each of three servers has one of three partitions. */
@ExtendWith(SharedClusters.class)
final class ServerFaultTest {
  private final Clusters clusters;

  ServerFaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @AfterEach
  void startServersAgain() throws IOException, InterruptedException {
    clusters.awaitServers();
  }

  /** Stops one server when all maps but the last have ended, before any reducer starts. */
  private ProgramOutcome loseServer(GatedJob job) throws IOException, InterruptedException {
    job.set(GatedJob.SLOW_START, "1.0").shut("map-3").start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    clusters.sluice().servers().get(0).kill();
    job.open("map-3");
    return job.awaitRightResult();
  }

  static void assertNoMapRanAgain(ProgramOutcome outcome) {
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS);
    assertThat(outcome.counter("Failed Shuffles")).isZero();
    assertThat(outcome.counter("Shuffled Maps")).isEqualTo(GatedJob.MAPS * GatedJob.REDUCES);
  }

  @Test
  @Tag("nightly")
  void repeatsMapsWhoseOutputWasOnTheLostServer() throws Exception {
    ProgramOutcome outcome = loseServer(new GatedJob(clusters, "server-lost", 11));
    assertThat(outcome.counter("Launched map tasks")).isGreaterThan(GatedJob.MAPS);
  }

  @Test
  @Tag("nightly")
  void repeatsNoMapIfEveryOutputIsAlsoLocal() throws Exception {
    ProgramOutcome outcome =
        loseServer(
            new GatedJob(clusters, "always-local", 17).set("mapreduce.rss.local.output", "always"));

    assertNoMapRanAgain(outcome);
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isEqualTo(GatedJob.MAPS);
    // The other servers still have their partitions; the lost one came from node managers.
    assertThat(outcome.counter("SERVER_BYTES"))
        .isPositive()
        .isLessThan(outcome.counter("PUSHED_BYTES"));
  }

  @Test
  @Tag("nightly")
  void repeatsNoMapWithTwoReplicas() throws Exception {
    ProgramOutcome outcome =
        loseServer(new GatedJob(clusters, "two-copies", 18).set("mapreduce.rss.data.replica", "2"));

    assertNoMapRanAgain(outcome);
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  @Test
  void runningMapsPushToAReplacementServer() throws Exception {
    GatedJob job = new GatedJob(clusters, "push-elsewhere", 19).shutMaps().start();
    job.awaitMaps();
    clusters.sluice().servers().get(0).kill();
    job.openAll();

    ProgramOutcome outcome = job.awaitRightResult();
    assertNoMapRanAgain(outcome);
    // One partition of three was assigned to the server that was lost.
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  @Test
  @Tag("nightly")
  void mapsWriteLocalOutputWhenNoServerIsLeft() throws Exception {
    GatedJob job = new GatedJob(clusters, "no-server-left", 14).shutMaps().start();
    job.awaitMaps();
    clusters.sluice().servers().forEach(ClusterNode::kill);
    job.openAll();

    ProgramOutcome outcome = job.awaitRightResult();
    assertNoMapRanAgain(outcome);
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isEqualTo(GatedJob.MAPS);
    assertThat(outcome.counter("SERVER_BYTES")).isZero();
  }
}
