package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.FallbackTable;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.EventLog;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.coordinator.log.RocksMetadataLog;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State that survives a restart, with the log in a directory. */
class RestartTest {
  private static final String A = "a:1";
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("app").setShuffle(3).build();

  @TempDir Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private RocksMetadataLog log;
  private LoggedCluster cluster;

  @BeforeEach
  void start() throws IOException {
    log = RocksMetadataLog.open(directory);
    cluster = new LoggedCluster(log, nanos);
  }

  @AfterEach
  void stop() {
    cluster.close();
    log.close();
  }

  private void restart() throws IOException {
    stop();
    start();
  }

  private static HeartbeatRequest.Builder beat() {
    return FakeCluster.beatOf("a", 1);
  }

  private ServerState state() {
    return cluster
        .view()
        .servers()
        .get(A)
        .stateAt(cluster.owner.nowMs(), LoggedCluster.LOST_AFTER_MS, cluster.view().excluded());
  }

  @Test
  void exclusionsSurvive() throws IOException {
    cluster.exclude(A, "node-7");

    restart();

    assertThat(cluster.view().excluded().sorted()).containsExactly(A, "node-7");
    cluster.heartbeat(beat());
    assertThat(state()).isEqualTo(ServerState.EXCLUDED);
    cluster.exclude();
    restart();
    assertThat(cluster.view().excluded().size()).isZero();
  }

  @Test
  void decommissionsSurvive() throws IOException {
    cluster.heartbeat(beat());
    cluster.decommission(beat(), true);
    assertThat(state()).isEqualTo(ServerState.SERVER_DRAINING);

    restart();

    // A heartbeat sent before the order.
    cluster.heartbeat(beat());
    assertThat(state()).isEqualTo(ServerState.SERVER_DRAINING);
    DecommissionOrder order = cluster.view().orders().decommission(A);
    assertThat(order.move()).isTrue();
  }

  @Test
  void aDecommissionEndsWithTheServer() throws IOException {
    cluster.heartbeat(beat());
    cluster.decommission(beat(), false);
    restart();

    cluster.heartbeat(beat().setLeaving(true));

    assertThat(cluster.view().orders().decommissions()).isEmpty();
    restart();
    assertThat(cluster.view().orders().decommissions()).isEmpty();
  }

  @Test
  void aDecommissionEndsWhenTheServerIsRestarted() {
    cluster.heartbeat(beat());
    cluster.decommission(beat(), false);
    HeartbeatRequest.Builder restarted = beat();
    restarted.getServerBuilder().setEpoch(restarted.getServer().getEpoch() + 1);

    cluster.heartbeat(restarted);

    assertThat(cluster.view().orders().decommissions()).isEmpty();
    assertThat(state()).isEqualTo(ServerState.ACTIVE);
  }

  @Test
  void aDecommissionCancelledAtTheServerEnds() {
    cluster.heartbeat(beat());
    cluster.decommission(beat(), false);
    cluster.heartbeat(beat().setState(ServerState.SERVER_DRAINING));
    cluster.pass(LoggedCluster.LOST_AFTER_MS + 1);
    cluster.heartbeat(beat().setState(ServerState.SERVER_DRAINING));
    assertThat(cluster.view().orders().decommissions()).hasSize(1);

    cluster.heartbeat(beat());

    assertThat(cluster.view().orders().decommissions()).isEmpty();
    assertThat(state()).isEqualTo(ServerState.ACTIVE);
  }

  @Test
  void aDecommissionOfALostServerEnds() throws IOException {
    cluster.heartbeat(beat());
    cluster.decommission(beat(), false);
    restart();
    cluster.checkTimeouts();
    assertThat(cluster.view().orders().decommissions()).hasSize(1);

    cluster.pass(3_600_001);
    cluster.checkTimeouts();

    assertThat(cluster.view().orders().decommissions()).isEmpty();
  }

  @Test
  void endedApplicationsSurviveAndServersAreNotified() throws IOException {
    cluster.register("app", "ann");
    cluster.renew("app", 2, "NO_SERVERS");
    cluster.pass(5000);
    cluster.unregister("app");
    Application ended = cluster.view().applications().get("app");

    restart();

    assertThat(cluster.view().applications().get("app")).isEqualTo(ended);
    assertThat(ended.fallbacks()).isEqualTo(new Fallbacks(2, "NO_SERVERS"));
    assertThat(cluster.heartbeat(beat().addApplications("app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.ENDED);
  }

  @Test
  void anEndedApplicationIsRemovedOnTimeAfterARestart() throws IOException {
    cluster.register("app", "ann");
    cluster.unregister("app");
    cluster.pass(400_000);
    restart();
    cluster.pass(199_999);
    cluster.checkTimeouts();
    assertThat(cluster.view().applications().get("app")).isNotNull();

    cluster.pass(2);
    cluster.checkTimeouts();

    assertThat(cluster.view().applications().get("app")).isNull();
    restart();
    assertThat(cluster.view().applications().get("app")).isNull();
  }

  @Test
  void aReregisteredApplicationIsNotEndedAfterARestart() throws IOException {
    cluster.register("app", "ann");
    cluster.unregister("app");
    cluster.register("app", "ann");

    restart();

    assertThat(cluster.heartbeat(beat().addApplications("app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.LIVE);
  }

  @Test
  void endedApplicationsAreBounded() throws IOException {
    for (int i = 0; i < LoggedCluster.MAX_ENDED + 5; i++) {
      cluster.register("app-" + i, "ann");
      cluster.unregister("app-" + i);
    }

    restart();

    assertThat(cluster.view().applications().endedCount()).isEqualTo(LoggedCluster.MAX_ENDED);
  }

  @Test
  void liveApplicationsSurvive() throws IOException {
    cluster.register("app", "ann");
    cluster.renew("app", 3, "DENIED");

    restart();

    Application application = cluster.view().applications().get("app");
    assertThat(application.state()).isEqualTo(Application.State.LIVE);
    assertThat(application.user()).isEqualTo("ann");
    assertThat(application.fallbacks()).isEqualTo(new Fallbacks(3, "DENIED"));
    assertThat(cluster.renew("app", 3, "DENIED")).isEqualTo(Status.OK);
  }

  @Test
  void theTargetOfAMoveSurvives() throws IOException {
    registerWithDataOn("leaving:1");
    cluster.heartbeat(beat());
    cluster.heartbeat(FakeCluster.beatOf("leaving", 1).setState(ServerState.SERVER_DRAINING));
    MoveTargetRequest request =
        MoveTargetRequest.newBuilder()
            .setShuffle(SHUFFLE)
            .setFrom("leaving:1")
            .setPartitions(1)
            .build();
    MoveTargetReply target =
        cluster.submit((view, nowMs) -> cluster.decisions.moves().target(view, request, nowMs, 1));
    assertThat(target.getServer().getName()).isEqualTo(A);

    restart();

    assertThat(refusalOfA()).isEmpty();
  }

  @Test
  void theAdopterOfALostServerSurvives() throws IOException {
    registerWithDataOn("lost:1");
    cluster.heartbeat(withDirectories("lost", "lost_1"));
    cluster.pass(LoggedCluster.LOST_AFTER_MS + 1);
    cluster.checkTimeouts();
    assertThat(refusalOfA()).isPresent();
    cluster.heartbeat(
        withDirectories("a", "a_1", "lost_1")
            .addMoves(
                ShuffleMove.newBuilder()
                    .setShuffle(SHUFFLE)
                    .setFrom("lost:1")
                    .setTo(beat().getServer())
                    .setLost(true)));

    restart();

    assertThat(refusalOfA()).isEmpty();
  }

  private void registerWithDataOn(String server) {
    cluster.register("app", "ann");
    cluster.change(
        LoggedChange.ApplicationRegistered.withServers(
            cluster.view().applications().get("app"), Set.of(server)));
  }

  private static HeartbeatRequest.Builder withDirectories(String host, String... directories) {
    HeartbeatRequest.Builder beat = FakeCluster.beatOf(host, 1);
    beat.getLoadBuilder()
        .addDisks(
            DiskState.newBuilder()
                .setPath("hdfs://cluster/shuffle")
                .setKind("REMOTE")
                .setHealth(DiskState.Health.HEALTHY)
                .addAllDirectories(List.of(directories)));
    return beat;
  }

  /** The refusal if the server asks for a target for data of the application. */
  private Optional<Decision<MoveTargetReply>> refusalOfA() {
    return cluster
        .decisions
        .moves()
        .refusal(
            cluster.view(), MoveTargetRequest.newBuilder().setShuffle(SHUFFLE).setFrom(A).build());
  }

  @Test
  void leasesBeginAgainAfterARestart() throws IOException {
    cluster.register("app", "ann");
    cluster.pass(LoggedCluster.LEASE_MS - 1);

    restart();
    cluster.pass(LoggedCluster.LEASE_MS - 1);
    cluster.checkTimeouts();
    assertThat(cluster.view().applications().get("app")).isNotNull();
    cluster.pass(2);
    cluster.checkTimeouts();

    assertThat(cluster.view().applications().get("app")).isNull();
    restart();
    assertThat(cluster.view().applications().get("app")).isNull();
  }

  @Test
  void unchangedFallbacksAreLoggedOnce() throws IOException {
    cluster.register("app", "ann");
    cluster.renew("app", 3, "DENIED");
    long bytes = log.recordBytes();

    for (int i = 0; i < 10; i++) {
      cluster.renew("app", 3, "DENIED");
    }

    assertThat(log.recordBytes()).isEqualTo(bytes);
  }

  @Test
  void fallbacksAreBounded() {
    FallbackTable table = FallbackTable.EMPTY;
    for (int i = 0; i <= FallbackTable.CAPACITY; i++) {
      table = table.with("app-" + i, new Fallbacks(i, "x"));
    }

    assertThat(table.all()).hasSize(FallbackTable.CAPACITY).doesNotContainKey("app-0");
  }

  @Test
  void limitsSurvive() throws IOException {
    cluster.limit("ann", Map.of("applications", 5L, "bytes", -1L));
    cluster.limit("bob", Map.of("applications", 1L));
    cluster.limit("bob", Map.of());

    restart();

    assertThat(cluster.view().limits().all())
        .isEqualTo(Map.of("ann", Map.of("applications", 5L, "bytes", -1L)));
  }

  @Test
  void eventsSurviveWithTheirNumbers() throws IOException {
    cluster.heartbeat(beat());
    cluster.register("app", "ann");
    List<ClusterEvent> before = cluster.history.events().all();

    restart();

    assertThat(cluster.history.events().all()).isEqualTo(before).hasSize(2);
    cluster.exclude(A);
    assertThat(cluster.history.events().all())
        .extracting(ClusterEvent::number)
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void eventsAreBounded() throws IOException {
    cluster.submit(
        (view, nowMs) -> {
          List<MetadataRecord> lost = new ArrayList<>();
          for (int i = 0; i < EventLog.CAPACITY + 10; i++) {
            lost.add(new MetadataRecord.ServerLost("s" + i + ":1", 1, 1));
          }
          return new Decision<>(lost, 0);
        });

    restart();

    assertThat(cluster.history.events().all()).hasSize(EventLog.CAPACITY);
  }

  @Test
  void finishedApplicationsSurviveWithTheirReports() throws IOException {
    cluster.register("ended", "ann");
    cluster.report("ended", A, 400);
    cluster.pass(5000);
    cluster.unregister("ended");
    cluster.register("expired", "bob");
    cluster.pass(LoggedCluster.LEASE_MS + 1);
    cluster.checkTimeouts();
    List<FinishedApplication> before = cluster.history.finished().all();

    restart();

    assertThat(cluster.history.finished().all()).isEqualTo(before);
    assertThat(before)
        .extracting(finished -> finished.number() + " " + finished.name() + finished.outcome())
        .containsExactly("1 endedENDED", "2 expiredEXPIRED");
    assertThat(before.get(0).durationMs()).isEqualTo(5000);
    assertThat(before.get(0).tasks().orElseThrow().servers().get(0).pushWaitMs()).isEqualTo(400);
    assertThat(before.get(1).durationMs()).isEqualTo(LoggedCluster.LEASE_MS + 1);
    cluster.register("ended", "ann");
    cluster.unregister("ended");
    assertThat(cluster.history.finished().latest("ended").orElseThrow().number()).isEqualTo(3);
  }

  @Test
  void finishedApplicationsWaitForTheLog() throws IOException {
    FaultyLog failing = new FaultyLog();
    long snapshotAfter = StateLog.SNAPSHOT_AFTER_BYTES;
    try (LoggedCluster first = new LoggedCluster(failing, nanos, snapshotAfter, false)) {
      first.register("app", "ann");
      failing.fail("disk full");
      first.pass(LoggedCluster.LEASE_MS + 1);
      first.owner.runPending();
      assertThat(first.view().applications().get("app")).isNull();
      assertThat(first.history.finished().all()).isEmpty();

      failing.recover();
      first.pass(1001);
      first.owner.runPending();
      assertThat(first.history.finished().latest("app")).isPresent();
    }
    try (LoggedCluster second = new LoggedCluster(failing, nanos)) {
      assertThat(second.history.finished().latest("app")).isPresent();
    }
  }

  @Test
  void throughputSurvives() throws IOException {
    cluster.heartbeat(beat());
    for (int i = 0; i < 30; i++) {
      cluster.pass(5000);
      cluster.heartbeat(beat());
      cluster.sample(12);
    }
    var cluster24 = cluster.history.throughput().cluster().subList(0, 24);

    restart();

    assertThat(cluster.history.throughput().cluster()).isEqualTo(cluster24);
    assertThat(cluster.history.throughput().server(A)).hasSize(24);
  }

  @Test
  void heartbeatsLogNothing() {
    cluster.heartbeat(beat());
    cluster.register("app", "ann");
    long bytes = log.recordBytes();

    for (int i = 0; i < 10; i++) {
      cluster.pass(1000);
      cluster.heartbeat(beat().addApplications("app"));
      cluster.renew("app", 0, "");
      cluster.checkTimeouts();
    }

    assertThat(log.recordBytes()).isEqualTo(bytes);
  }

  @Test
  void aLoggedChangeSurvivesACrash() throws IOException {
    FaultyLog crashing = new FaultyLog();
    LoggedCluster first = new LoggedCluster(crashing, nanos);
    crashing.crashAfterAppend();
    assertThatThrownBy(() -> first.exclude(A)).hasMessageContaining("crash after append");
    assertThat(first.view().excluded().size()).isZero();
    first.close();
    crashing.recover();

    try (LoggedCluster second = new LoggedCluster(crashing, nanos)) {
      assertThat(second.view().excluded().sorted()).containsExactly(A);
    }
  }

  @Test
  void doesNotStartWithALogOfANewerVersion() {
    InMemoryMetadataLog newer = InMemoryMetadataLog.keeping();
    newer.append(List.of(new byte[0]));

    assertThatThrownBy(() -> new LoggedCluster(newer, nanos))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a type unknown to this version");
  }

  @Test
  void timesContinueAfterTheWallClockWasSetBack() throws IOException {
    cluster.pass(1_000_000);
    cluster.register("app", "ann");
    cluster.unregister("app");
    long endedAtMs = cluster.view().applications().get("app").sinceMs();
    stop();
    nanos.set(0);
    start();

    assertThat(cluster.owner.nowMs()).isGreaterThanOrEqualTo(endedAtMs);
    cluster.checkTimeouts();
    assertThat(cluster.view().applications().get("app")).isNotNull();
    assertThat(cluster.history.events().all())
        .extracting(event -> event.event().kind())
        .contains(Event.Kind.APPLICATION_ENDED);
  }
}
