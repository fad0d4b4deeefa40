package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import io.sluice.localcluster.AdminProcess;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Decommission of a server with its data moved. Each of three servers has one partition. */
@Tag("nightly")
@ExtendWith(SharedClusters.class)
final class ServerLeavesTest {
  private final Clusters clusters;

  ServerLeavesTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @AfterEach
  void startServersAgain() throws IOException, InterruptedException {
    clusters.awaitServers();
  }

  @Test
  void repeatsNoMapWhoseOutputWasMoved() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "server-leaves", 25)
            .set(GatedJob.SLOW_START, "1.0")
            .shut("map-3")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    leave(clusters.sluice().servers().get(0));
    job.open("map-3");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS);
    assertThat(outcome.counter("Launched reduce tasks")).isEqualTo(GatedJob.REDUCES);
    assertThat(outcome.counter("Failed Shuffles")).isZero();
    ShuffleComparison.assertAllCameFromServers(outcome);
  }

  /** Runs {@code sluice admin decommission --move}. The job receives the move with its lease. */
  private void leave(ClusterNode server) throws IOException, InterruptedException {
    assertThat(clusters.probe().status(server).getLoad().getStoredBytes())
        .as("stored bytes")
        .isPositive();
    AdminProcess.Outcome left =
        AdminProcess.start(
                line -> {},
                "decommission",
                server.address(),
                "--coordinator",
                clusters.sluice().quorum(),
                "--move",
                "--wait",
                "--poll",
                "1s")
            .await();
    assertThat(left.exitCode()).as(left.lines().toString()).isZero();
    assertThat(server.awaitExit(Duration.ofSeconds(30)))
        .as("exit code")
        .hasValue(ExitCode.DECOMMISSIONED.status());
  }
}
