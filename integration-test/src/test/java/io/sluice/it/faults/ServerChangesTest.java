package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.AdminProcess;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers that an operator restarts and decommissions under a running application: no task fails
 * and no map is repeated.
 */
@Tag("nightly")
@Timeout(300)
class ServerChangesTest {
  private static final int SERVERS = 3;

  /** Number of reduce tasks of each job. */
  private static final int REDUCES = 9;

  /** Enlarges records, so that a job runs long enough. */
  private static final String WIDE = "*4";

  private static final String CALM = "faults/calm" + WIDE;

  /** Jobs that run while servers are restarted. */
  private static final List<String> MEANWHILE =
      IntStream.range(0, 6).mapToObj(i -> "faults/meanwhile-" + i + WIDE).toList();

  private static final String LEAVING = "faults/leaving" + WIDE;
  private static final String READING = "faults/reading" + WIDE;
  private static final String AFTER = "faults/after" + WIDE;

  @TempDir Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private AdminProcess restarts;
  private AdminProcess decommission;
  private int shufflesOfLeaver;
  private long openedBefore;

  /**
   * A server is decommissioned while maps run and exits before reduce tasks start. Another one is
   * decommissioned while they read.
   */
  @Test
  void noTaskFailsWhenServersAreDecommissionedWithMove() throws IOException, InterruptedException {
    try (LocalCluster started =
            FaultCluster.builder(directory.resolve("cluster"))
                .servers(SERVERS)
                .configureServers("rss.server.decommission.check.interval", "200ms")
                // Drivers renew their lease, and receive moves, every three seconds.
                .configureCoordinators("rss.coordinator.app.expired", "9s")
                .build();
        ClusterProbe asked = new ClusterProbe(started)) {
      cluster = started;
      probe = asked;
      cluster.start();
      probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));

      String mapped = LEAVING + "@in-map,mapped";
      String reading = READING + "@in-read";
      Outcome found =
          FaultCluster.impatient(
                  SparkApplication.onSluice(directory.resolve("job"), cluster.quorum()))
              .set("spark.cleaner.referenceTracking", "false")
              .at("leaving" + WIDE + "/in-map", () -> beginMove(0))
              .at("leaving" + WIDE + "/mapped", () -> awaitMoved(0))
              .at("read", this::checkReads)
              .at("reading" + WIDE + "/in-read", this::moveAtOnce)
              .run(List.of(CALM, mapped, "pause:read", reading, AFTER));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.fallbacks()).isEmpty();
      for (String job : List.of(mapped, reading, AFTER)) {
        assertUntouched(found, job);
      }
    }
  }

  private void beginMove(int server) throws InterruptedException {
    decommission =
        AdminProcess.start(
            line -> {},
            "decommission",
            cluster.servers().get(server).address(),
            "--coordinator",
            cluster.quorum(),
            "--move",
            "--wait",
            "--poll",
            "100ms");
    decommission.awaitFirstLine();
  }

  private void awaitMoved(int server) throws IOException, InterruptedException {
    ClusterNode gone = cluster.servers().get(server);
    AdminProcess.Outcome left = decommission.await();
    assertThat(left.exitCode()).as(left.lines().toString()).isZero();
    assertThat(left.lines()).last().isEqualTo(gone.address() + ": exited");
    assertThat(gone.awaitExit(Duration.ofSeconds(30)))
        .as("exit code")
        .hasValue(ExitCode.DECOMMISSIONED.status());
    openedBefore = openedAtOthers();
  }

  private void moveAtOnce() throws IOException, InterruptedException {
    beginMove(1);
    awaitMoved(1);
  }

  /** Checks that all reads were from the remaining servers. */
  private void checkReads() throws IOException {
    assertThat(openedAtOthers() - openedBefore)
        .as("partitions that reduce tasks opened at the other servers")
        .isGreaterThanOrEqualTo(REDUCES);
  }

  private long openedAtOthers() throws IOException {
    long opened = 0;
    for (ClusterNode server : cluster.servers()) {
      if (server.isAlive()) {
        opened += probe.status(server).getOpenedPartitions();
      }
    }
    return opened;
  }

  @Test
  void noTaskFailsWhileServersAreRestartedOneByOneAndOneLeaves()
      throws IOException, InterruptedException {
    try (LocalCluster started =
            FaultCluster.builder(directory.resolve("cluster"))
                .servers(SERVERS)
                .configureServers("rss.server.decommission.check.interval", "200ms")
                .build();
        ClusterProbe asked = new ClusterProbe(started)) {
      cluster = started;
      probe = asked;
      cluster.start();
      probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));

      List<String> jobs = new ArrayList<>(List.of(CALM, "pause:restart"));
      jobs.addAll(MEANWHILE);
      jobs.addAll(List.of("pause:restarted", LEAVING + "@in-map", "pause:left", AFTER));
      jobs.add("pause:checked");
      Outcome found =
          FaultCluster.awaitingRestarts(
                  SparkApplication.onSluice(directory.resolve("job"), cluster.quorum()))
              .set("spark.cleaner.referenceTracking", "false")
              .at("restart", this::beginRestarts)
              .at("restarted", this::checkRestarts)
              .at("leaving" + WIDE + "/in-map", this::beginDecommission)
              .at("left", this::recordShufflesOfTheLeavingServer)
              .at("checked", this::checkDecommission)
              .run(jobs);

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.fallbacks()).isEmpty();
      for (String job : List.of(LEAVING + "@in-map", AFTER)) {
        assertUntouched(found, job);
      }
      MEANWHILE.forEach(job -> assertUntouched(found, job));
      // The driver has ended, so no job needs the server's data.
      AdminProcess.Outcome left = decommission.await();
      assertThat(left.exitCode()).as(left.lines().toString()).isZero();
      assertThat(left.lines()).last().isEqualTo(leaver().address() + ": exited");
      assertThat(leaver().awaitExit(Duration.ofSeconds(30)))
          .as("exit code")
          .hasValue(ExitCode.DECOMMISSIONED.status());
    }
  }

  private static void assertUntouched(Outcome found, String job) {
    assertThat(found.digest(job)).as(job).isEqualTo(found.digest(CALM));
    assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
    assertThat(found.number(job, "mapTasks")).as(job + " map tasks").isEqualTo(Expectation.MAPS);
  }

  private void beginRestarts() throws InterruptedException {
    restarts =
        AdminProcess.start(
            this::restartIfAsked,
            "rolling-restart",
            "--coordinator",
            cluster.quorum(),
            "--poll",
            "100ms",
            "--settle",
            "500ms",
            "--restart-timeout",
            "60s");
    restarts.awaitFirstLine();
  }

  /** Answers the prompts of the command, which was started without a restart command. */
  private void restartIfAsked(String line) throws IOException, InterruptedException {
    for (ClusterNode server : cluster.servers()) {
      if (line.startsWith(server.address() + ": restart it now")) {
        server.restart();
      }
    }
  }

  private void checkRestarts() throws InterruptedException {
    AdminProcess.Outcome outcome = restarts.await();
    assertThat(outcome.exitCode()).as(outcome.lines().toString()).isZero();
    assertThat(outcome.lines()).last().isEqualTo(SERVERS + " servers restarted");
  }

  private ClusterNode leaver() {
    return cluster.servers().get(0);
  }

  private void beginDecommission() throws InterruptedException {
    decommission =
        AdminProcess.start(
            line -> {},
            "decommission",
            leaver().address(),
            "--coordinator",
            cluster.quorum(),
            "--wait",
            "--poll",
            "300ms");
    decommission.awaitFirstLine();
  }

  private void recordShufflesOfTheLeavingServer() throws IOException, InterruptedException {
    probe.awaitActiveServers(SERVERS - 1, Duration.ofSeconds(30));
    shufflesOfLeaver = probe.status(leaver()).getShuffles();
  }

  private void checkDecommission() throws IOException {
    assertThat(leaver().isAlive()).as("stays while its data may be read again").isTrue();
    assertThat(probe.status(leaver()).getShuffles())
        .as("shuffles on the leaving server")
        .isEqualTo(shufflesOfLeaver)
        .isPositive();
  }
}
