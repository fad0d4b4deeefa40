package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.HostRule;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.UsageRules;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RenewLeaseRequest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lease of 60 s and a heartbeat timeout of 30 s, changed while the coordinator runs. */
class CurrentDecisionsTest {
  private static final AssignmentConfig ASSIGNMENT =
      new AssignmentConfig(HostRule.PREFER_DIFF, 9, 0.95);

  private long nowMs = 1_000_000;
  private ClusterView view = ClusterView.startedAt(nowMs);
  private final CurrentDecisions decisions =
      new CurrentDecisions(
          servers(30_000),
          applications(60_000),
          ASSIGNMENT,
          new Quotas(UsageRules.ofAll(Limits.NONE)),
          () -> TimeUnit.MILLISECONDS.toNanos(nowMs));

  private static ServerTableConfig servers(long lostAfterMs) {
    return new ServerTableConfig(lostAfterMs, 1_000, 3_600_000, 10, 0);
  }

  private static ApplicationConfig applications(long leaseMs) {
    return new ApplicationConfig(leaseMs, 10, 600_000, 10, 10);
  }

  private <R> R applied(Decision<R> decision) {
    decision.records().forEach(record -> view = record.applyTo(view));
    return decision.reply();
  }

  private long registeredLeaseMs() {
    return applied(
            decisions
                .get()
                .applications()
                .register(
                    view,
                    RegisterApplicationRequest.newBuilder()
                        .setApplication("app")
                        .setUser("ann")
                        .build(),
                    nowMs))
        .getLeaseMs();
  }

  private long renewedLeaseMs() {
    return applied(
            decisions
                .get()
                .applications()
                .renew(view, RenewLeaseRequest.newBuilder().setApplication("app").build(), nowMs))
        .getLeaseMs();
  }

  private void pass(long ms) {
    nowMs += ms;
    decisions.get().timeouts().expired(view, nowMs).forEach(record -> view = record.applyTo(view));
  }

  private int live() {
    return view.applications().liveCount();
  }

  @Test
  void enforcesALongerLeaseAtOnce() {
    assertThat(registeredLeaseMs()).isEqualTo(60_000);

    decisions.change(servers(30_000), applications(90_000), ASSIGNMENT);

    pass(89_000);
    assertThat(live()).isEqualTo(1);
    assertThat(renewedLeaseMs()).isEqualTo(90_000);
    pass(90_000);
    assertThat(live()).isZero();
  }

  @Test
  void announcesAShorterLeaseAtOnceAndEnforcesItAfterTheLongerOne() {
    registeredLeaseMs();

    decisions.change(servers(30_000), applications(6_000), ASSIGNMENT);

    // A driver with a lease of one minute renews it after a third of the time.
    pass(20_000);
    assertThat(live()).isEqualTo(1);
    assertThat(renewedLeaseMs()).isEqualTo(6_000);
    for (int i = 0; i < 20; i++) {
      pass(2_000);
      assertThat(renewedLeaseMs()).isEqualTo(6_000);
    }
    pass(6_000);
    assertThat(live()).isZero();
  }

  @Test
  void aChangeDoesNotExtendTheLeaseOfALostDriver() {
    registeredLeaseMs();

    decisions.change(servers(30_000), applications(6_000), ASSIGNMENT);

    pass(59_000);
    assertThat(live()).isEqualTo(1);
    pass(1_000);
    assertThat(live()).isZero();
  }

  @Test
  void aServerIsNotLostByANewShorterTimeout() {
    HeartbeatRequest beat = FakeCluster.beatOf("a", 1).build();
    applied(decisions.get().servers().heartbeat(view, beat, nowMs));

    decisions.change(servers(3_000), applications(60_000), ASSIGNMENT);

    assertThat(decisions.get().serverPolicy().lostAfterMs()).isEqualTo(30_000);
    pass(29_999);
    assertThat(liveness(beat)).isEqualTo(Server.Liveness.LIVE);
    pass(1);
    assertThat(decisions.get().serverPolicy().lostAfterMs()).isEqualTo(3_000);
    applied(decisions.get().servers().heartbeat(view, beat, nowMs));
    pass(3_001);
    assertThat(liveness(beat)).isEqualTo(Server.Liveness.LOST);
  }

  private Server.Liveness liveness(HeartbeatRequest beat) {
    return view.servers().get(beat.getServer().getName()).liveness();
  }
}
