package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.proto.ApplicationLease;
import io.sluice.proto.ApplicationLease.State;
import io.sluice.server.log.LeaseTable.Expiry;
import io.sluice.server.log.LeaseTable.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Uses a lease of 60 s and heartbeats every 10 s, unless a test changes them. */
class LeaseTableTest {
  private static final long LEASE_MS = 60_000;
  private static final long INTERVAL_MS = 10_000;
  private static final String A = "a:1";
  private static final String B = "b:1";

  private long nowMs = 1_000;
  private final LeaseTable table = new LeaseTable(() -> nowMs, LEASE_MS);

  private List<Expiry> reply(String coordinator, State state) {
    return table.answered(
        coordinator,
        0,
        List.of(ApplicationLease.newBuilder().setApplication("app").setState(state).build()));
  }

  /** Advances by one heartbeat interval and applies the coordinator's reply. */
  private List<Expiry> nextReply(String coordinator, State state) {
    nowMs += INTERVAL_MS;
    return reply(coordinator, state);
  }

  private static List<Expiry> out() {
    return List.of(new Expiry("app", Reason.LEASE_OUT));
  }

  @Test
  void keepsALiveApplication() {
    table.setApplications(List.of("app"));
    for (int i = 0; i < 100; i++) {
      assertThat(nextReply(A, State.LIVE)).isEmpty();
    }
    assertThat(table.applications()).containsExactly("app");
  }

  @Test
  void removesAnEndedApplicationImmediately() {
    table.setApplications(List.of("app"));
    assertThat(nextReply(A, State.LIVE)).isEmpty();
    assertThat(nextReply(B, State.ENDED)).containsExactly(new Expiry("app", Reason.ENDED));
    assertThat(table.applications()).isEmpty();
    assertThat(nextReply(A, State.ENDED)).as("reported once").isEmpty();
  }

  @Test
  void removesAnApplicationAfterALeaseWithoutLive() {
    table.setApplications(List.of("app"));
    assertThat(nextReply(A, State.LIVE)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).as("after %d s", 10 * i).isEmpty();
    }
    assertThat(nextReply(A, State.UNKNOWN)).isEqualTo(out());
    assertThat(nextReply(A, State.UNKNOWN)).as("reported once").isEmpty();
  }

  @Test
  void liveOfOneCoordinatorOverridesUnknownOfOthers() {
    table.setApplications(List.of("app"));
    for (int i = 0; i < 50; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).isEmpty();
      assertThat(reply(B, State.LIVE)).isEmpty();
    }
  }

  @Test
  void timeWithoutRepliesDoesNotCount() {
    table.setApplications(List.of("app"));
    nextReply(A, State.LIVE);
    nextReply(A, State.UNKNOWN);
    table.failed(A);
    nowMs += 100 * LEASE_MS;
    table.failed(A);
    assertThat(reply(A, State.UNKNOWN)).as("first answer after the silence").isEmpty();
  }

  @Test
  void aRestartedCoordinatorGrantsANewLease() {
    table.setApplications(List.of("app"));
    nextReply(A, State.LIVE);
    for (int i = 0; i < 5; i++) {
      nextReply(A, State.UNKNOWN);
    }
    table.failed(A);
    nowMs += INTERVAL_MS;
    assertThat(reply(A, State.UNKNOWN)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).as("after %d s", 10 * i).isEmpty();
    }
    assertThat(nextReply(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void anAdditionalCoordinatorGrantsANewLease() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    for (int i = 0; i < 5; i++) {
      nextReply(A, State.UNKNOWN);
    }
    assertThat(reply(B, State.UNKNOWN)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).isEmpty();
      assertThat(reply(B, State.UNKNOWN)).isEmpty();
    }
    assertThat(nextReply(B, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void timeCountsOnceForSeveralCoordinators() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    reply(B, State.UNKNOWN);
    for (int i = 1; i < 6; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).isEmpty();
      assertThat(reply(B, State.UNKNOWN)).isEmpty();
    }
    assertThat(nextReply(B, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void timeCountsWhileOneOfTwoCoordinatorsFails() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    reply(B, State.UNKNOWN);
    table.failed(A);
    List<Expiry> expired = new ArrayList<>();
    int heartbeats = 0;
    while (expired.isEmpty() && heartbeats < 100) {
      heartbeats++;
      table.failed(A);
      expired.addAll(nextReply(B, State.UNKNOWN));
    }
    assertThat(heartbeats).isEqualTo(6);
  }

  @Test
  void theFirstReplyAfterASuspensionDoesNotExpireALiveApplication() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    reply(B, State.UNKNOWN);
    nowMs += 10 * LEASE_MS;
    assertThat(reply(B, State.UNKNOWN)).isEmpty();
    assertThat(reply(A, State.LIVE)).isEmpty();
  }

  @Test
  void aNewApplicationGetsAWholeLease() {
    for (int i = 0; i < 20; i++) {
      nextReply(A, State.UNKNOWN);
    }
    table.setApplications(List.of("app"));
    for (int i = 1; i < 6; i++) {
      assertThat(nextReply(A, State.UNKNOWN)).isEmpty();
    }
    assertThat(nextReply(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void settingAnApplicationAgainDoesNotRenewItsLease() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    for (int i = 1; i < 6; i++) {
      nextReply(A, State.UNKNOWN);
      table.setApplications(List.of("app"));
    }
    assertThat(nextReply(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void anApplicationThatReturnsGetsANewLease() {
    table.setApplications(List.of("app"));
    reply(A, State.LIVE);
    for (int i = 1; i < 6; i++) {
      nextReply(A, State.UNKNOWN);
    }
    table.setApplications(List.of());
    assertThat(nextReply(A, State.ENDED)).as("not stored").isEmpty();
    table.setApplications(List.of("app"));
    assertThat(nextReply(A, State.UNKNOWN)).isEmpty();
  }

  @Test
  void usesTheLongestGrantedLease() {
    table.answered(A, 1_000, List.of());
    assertThat(table.leaseMs()).isEqualTo(LEASE_MS);
    table.answered(B, 90_000, List.of());
    assertThat(table.leaseMs()).isEqualTo(90_000);
    table.answered(B, 70_000, List.of());
    assertThat(table.leaseMs()).as("the newest grant of each").isEqualTo(70_000);
  }

  @Test
  void anApplicationMissingInRepliesExpires() {
    table.setApplications(List.of("app", "other"));
    reply(A, State.LIVE);
    List<Expiry> expired = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      expired.addAll(nextReply(A, State.LIVE));
    }
    assertThat(expired).containsExactly(new Expiry("other", Reason.LEASE_OUT));
    assertThat(table.applications()).containsExactly("app");
  }

  @Test
  void refusesAnEmptyLease() {
    assertThatThrownBy(() -> new LeaseTable(() -> 0, 0)).hasMessageContaining("positive: 0");
  }
}
