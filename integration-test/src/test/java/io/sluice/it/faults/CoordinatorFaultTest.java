package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three coordinators with a quorum: their faults neither fail a job nor repeat a map task. */
@Tag("nightly")
@Timeout(400)
class CoordinatorFaultTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir Path directory;
  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster =
        FaultCluster.builder(directory.resolve("cluster"))
            .coordinators(3)
            .servers(2)
            .configureCoordinators("rss.coordinator.app.expired", "15s")
            .configureServers("rss.server.app.expired.withoutHeartbeat", "15s")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, LIMIT);
  }

  @AfterEach
  void stop() {
    probe.close();
    cluster.close();
  }

  private ClusterNode leader() throws IOException, InterruptedException {
    ClusterNode[] found = new ClusterNode[1];
    probe.await(
        "a coordinator leads",
        LIMIT,
        () -> {
          for (ClusterNode coordinator : cluster.coordinators()) {
            if (coordinator.isAlive()
                && probe.metric(coordinator, "sluice_coordinator_leads") == 1) {
              found[0] = coordinator;
              return true;
            }
          }
          return false;
        });
    return found[0];
  }

  private SparkApplication application(String name) {
    return FaultCluster.impatient(
        SparkApplication.onSluice(directory.resolve(name), cluster.quorum()));
  }

  private static void assertUndisturbed(Outcome found, int shuffles) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).as(found.log()).isEmpty();
    assertThat(found.shufflesOnSluice()).isEqualTo(shuffles);
    assertThat(found.anyReassigned()).isFalse();
    assertThat(found.log()).doesNotContain("FetchFailed");
  }

  @Test
  void aKilledLeaderIsReplaced() throws IOException, InterruptedException {
    ClusterNode first = leader();
    SparkApplication application = application("killed");
    application.at(
        "killed/in-map",
        () -> {
          first.kill();
          leader();
        });

    assertUndisturbed(application.run(List.of("faults/killed@in-map", "faults/next")), 2);

    first.start();
    probe.awaitActiveServers(2, LIMIT);
  }

  @Test
  void aSuspendedLeaderIsReplacedAndFollowsAfterwards() throws IOException, InterruptedException {
    ClusterNode first = leader();
    SparkApplication application = application("suspended");
    application.at(
        "suspended/in-map",
        () -> {
          Signals.stop(first.pid());
          cluster.coordinators().stream()
              .filter(coordinator -> coordinator != first)
              .forEach(this::awaitReady);
          Signals.resume(first.pid());
          awaitReady(first);
        });

    assertUndisturbed(application.run(List.of("faults/suspended@in-map", "faults/next")), 2);
  }

  @Test
  void aRunningJobContinuesWithoutCoordinators() throws IOException, InterruptedException {
    SparkApplication application = application("none");
    application.at("none/in-map", () -> cluster.coordinators().forEach(ClusterNode::kill));

    assertUndisturbed(application.run(List.of("faults/none@in-map")), 1);

    Outcome later = application("later").run(List.of("faults/later"));
    assertThat(later.exitCode()).as(later.log()).isZero();
    assertThat(later.fallbacks()).isNotEmpty().allMatch(why -> why.startsWith("NO_COORDINATOR"));
  }

  private void awaitReady(ClusterNode coordinator) {
    try {
      probe.await(
          coordinator.name() + " knows a leader",
          LIMIT,
          () -> probe.metric(coordinator, "sluice_coordinator_quorum") == 1);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
