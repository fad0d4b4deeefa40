package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.proto.ServerState;
import io.sluice.proto.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A coordinator that follows and leads, on virtual time. */
class SharedStateTest {
  private static final String A = "a:1";

  /** A log that one coordinator leads, as the test wants. */
  private static final class TestLog implements MetadataLog {
    private final Deque<Delivery> deliveries = new ArrayDeque<>();
    private final List<byte[]> appended = new ArrayList<>();
    private boolean leads;
    private boolean loses;

    @Override
    public Contents read() {
      return new Contents(List.of(), 0, List.of());
    }

    @Override
    public boolean leads() {
      return leads;
    }

    @Override
    public Optional<Delivery> poll() {
      return Optional.ofNullable(deliveries.poll());
    }

    @Override
    public void append(List<byte[]> records) throws IOException {
      if (loses) {
        leads = false;
        throw new IOException("no quorum");
      }
      appended.addAll(records);
    }

    @Override
    public void replace(List<byte[]> snapshot) {}

    @Override
    public long recordBytes() {
      return 0;
    }

    @Override
    public long snapshotBytes() {
      return 0;
    }

    @Override
    public void close() {}

    void deliver(LoggedChange... changes) {
      deliveries.add(
          new Delivery.Appended(List.of(changes).stream().map(RecordFormat::encode).toList()));
    }

    void lead() {
      leads = true;
      deliveries.add(new Delivery.Leading());
    }
  }

  private final AtomicLong nanos = new AtomicLong();
  private final TestLog log = new TestLog();
  private final LoggedCluster cluster;

  SharedStateTest() throws IOException {
    cluster = new LoggedCluster(log, nanos, StateLog.SNAPSHOT_AFTER_BYTES, false);
  }

  private void observe() {
    cluster.owner.observe(
        (view, nowMs) ->
            cluster.decisions.servers().heartbeat(view, FakeCluster.beatOf("a", 1).build(), nowMs),
        new StateOwner.Outcome<>() {
          @Override
          public void decided(io.sluice.proto.HeartbeatReply reply) {}

          @Override
          public void failed(Throwable cause) {
            throw new AssertionError(cause);
          }
        });
    cluster.owner.runPending();
  }

  @Test
  void aFollowerRefusesRequests() {
    assertThatThrownBy(() -> cluster.register("app", "ann"))
        .hasCauseInstanceOf(NotLeadingException.class);
    assertThat(cluster.view().applications().get("app")).isNull();
    assertThat(log.appended).isEmpty();
  }

  @Test
  void aFollowerKnowsTheServersAndTheChangesOfTheLeader() {
    observe();
    log.deliver(
        new LoggedChange.ApplicationRegistered(
            "app", "ann", "1", java.util.Set.of(), cluster.owner.nowMs()));

    cluster.owner.runPending();

    assertThat(cluster.view().servers().get(A).reported()).isEqualTo(ServerState.ACTIVE);
    assertThat(cluster.view().applications().get("app").user()).isEqualTo("ann");
    assertThat(log.appended).isEmpty();
  }

  @Test
  void aNewLeaderHasTheFinishedApplicationsOfTheFormerOne() {
    FinishedApplication finished =
        FinishedApplication.of(
            Application.registered("first", "ann", "1", 0),
            FinishedApplication.Outcome.EXPIRED,
            1000,
            Instant.ofEpochMilli(2000),
            Optional.empty());
    log.deliver(
        new LoggedChange.ApplicationFinished(finished),
        new LoggedChange.ApplicationRegistered(
            "second", "bob", "1", java.util.Set.of(), cluster.owner.nowMs()));
    cluster.owner.runPending();

    log.lead();
    cluster.unregister("second");

    assertThat(cluster.history.finished().all())
        .extracting(one -> one.number() + one.name())
        .containsExactly("1first", "2second");
    log.deliveries.add(
        new MetadataLog.Delivery.Replaced(
            List.of(RecordFormat.encode(new LoggedChange.ApplicationFinished(finished)))));
    cluster.owner.runPending();
    assertThat(cluster.history.finished().all()).hasSize(1);
  }

  @Test
  void aNewLeaderKeepsApplicationsForAWholeLease() {
    log.deliver(
        new LoggedChange.ApplicationRegistered(
            "app", "ann", "1", java.util.Set.of(), cluster.owner.nowMs()));
    cluster.owner.runPending();
    cluster.pass(10 * LoggedCluster.LEASE_MS);
    cluster.owner.runPending();
    assertThat(cluster.view().applications().get("app")).isNotNull();

    log.lead();
    cluster.owner.runPending();
    cluster.pass(LoggedCluster.LEASE_MS - 1);
    cluster.owner.runPending();
    assertThat(cluster.renew("app", 0, "")).isEqualTo(Status.OK);

    cluster.pass(LoggedCluster.LEASE_MS + 1);
    cluster.owner.runPending();
    assertThat(cluster.view().applications().get("app")).isNull();
  }

  @Test
  void aChangeThatIsNotCommittedIsNotApplied() {
    log.lead();
    cluster.register("first", "ann");
    log.loses = true;

    assertThatThrownBy(() -> cluster.register("second", "ann"))
        .hasCauseInstanceOf(NotLeadingException.class);

    assertThat(cluster.view().applications().get("second")).isNull();
    assertThat(cluster.owner.logProblem()).isEmpty();
    // The change was committed after all, and another coordinator leads.
    log.deliver(
        new LoggedChange.ApplicationRegistered(
            "second", "ann", "1", java.util.Set.of(), cluster.owner.nowMs()));
    cluster.owner.runPending();
    assertThat(cluster.view().applications().get("second").state())
        .isEqualTo(Application.State.LIVE);
  }

  @Test
  void aSnapshotReplacesTheStateButNotTheServers() {
    observe();
    log.deliver(
        new LoggedChange.ApplicationRegistered(
            "old", "ann", "1", java.util.Set.of(), cluster.owner.nowMs()));
    cluster.owner.runPending();
    log.deliveries.add(
        new MetadataLog.Delivery.Replaced(
            List.of(
                RecordFormat.encode(
                    new LoggedChange.ApplicationRegistered(
                        "new", "bob", "1", java.util.Set.of(), 1)))));

    cluster.owner.runPending();

    assertThat(cluster.view().applications().get("old")).isNull();
    assertThat(cluster.view().applications().get("new").user()).isEqualTo("bob");
    assertThat(cluster.view().servers().get(A)).isNotNull();
  }
}
