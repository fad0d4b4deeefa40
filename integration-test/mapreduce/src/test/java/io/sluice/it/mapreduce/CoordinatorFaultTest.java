package io.sluice.it.mapreduce;

import io.sluice.it.faults.Signals;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Three coordinators with a quorum, of which the leader is lost: no job repeats a map task. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class CoordinatorFaultTest {
  private static final int COORDINATORS = 3;
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private final Clusters clusters;
  @TempDir Path directory;
  private LocalCluster sluice;
  private ClusterProbe probe;

  CoordinatorFaultTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @BeforeEach
  void startCoordinators() throws IOException, InterruptedException {
    sluice = clusters.sluice(directory, COORDINATORS);
    probe = new ClusterProbe(sluice);
    sluice.start();
    probe.awaitActiveServers(Clusters.SERVERS, TIMEOUT);
  }

  @AfterEach
  void stopCoordinators() {
    probe.close();
    sluice.close();
  }

  private ClusterNode leader() throws IOException, InterruptedException {
    return probe.awaitLeader(sluice.coordinators(), TIMEOUT);
  }

  private GatedJob job(String name, long seed) throws IOException {
    return new GatedJob(clusters, name, seed)
        .set("mapreduce.rss.coordinator.quorum", sluice.quorum())
        .shutMaps();
  }

  private static void assertUndisturbed(GatedJob job) throws Exception {
    ProgramOutcome outcome = job.awaitRightResult();
    ServerFaultTest.assertNoMapRanAgain(outcome);
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  @Test
  void aJobContinuesWhenTheLeaderIsKilled() throws Exception {
    GatedJob job = job("leader-killed", 31).start();
    job.awaitMaps();
    leader().kill();
    job.openAll();

    assertUndisturbed(job);
  }

  @Test
  void aJobStartsAndContinuesWhileTheLeaderIsSuspended() throws Exception {
    ClusterNode leader = leader();
    Signals.stop(leader.pid());
    GatedJob job = job("leader-suspended", 32).start();
    job.awaitMaps();
    Signals.resume(leader.pid());
    probe.awaitQuorum(leader, TIMEOUT);
    job.openAll();

    assertUndisturbed(job);
  }
}
