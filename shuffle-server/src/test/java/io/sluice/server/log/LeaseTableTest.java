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

/** A lease of 60 s, heartbeats every 10 s unless a test says otherwise. */
class LeaseTableTest {
  private static final long LEASE_MS = 60_000;
  private static final long INTERVAL_MS = 10_000;
  private static final String A = "a:1";
  private static final String B = "b:1";

  private long nowMs = 1_000;
  private final LeaseTable table = new LeaseTable(() -> nowMs, LEASE_MS);

  private List<Expiry> says(String coordinator, State state) {
    return table.answered(
        coordinator,
        0,
        List.of(ApplicationLease.newBuilder().setApplication("app").setState(state).build()));
  }

  /** One heartbeat interval passes and the coordinator answers it. */
  private List<Expiry> next(String coordinator, State state) {
    nowMs += INTERVAL_MS;
    return says(coordinator, state);
  }

  private static List<Expiry> out() {
    return List.of(new Expiry("app", Reason.LEASE_OUT));
  }

  @Test
  void keepsAnApplicationThatACoordinatorCallsAlive() {
    table.hold(List.of("app"));
    for (int i = 0; i < 100; i++) {
      assertThat(next(A, State.LIVE)).isEmpty();
    }
    assertThat(table.applications()).containsExactly("app");
  }

  @Test
  void forgetsAtOnceWhatACoordinatorCallsEnded() {
    table.hold(List.of("app"));
    assertThat(next(A, State.LIVE)).isEmpty();
    assertThat(next(B, State.ENDED)).containsExactly(new Expiry("app", Reason.ENDED));
    assertThat(table.applications()).isEmpty();
    assertThat(next(A, State.ENDED)).as("reported once").isEmpty();
  }

  @Test
  void forgetsAfterAWholeLeaseInWhichNobodyCalledItAlive() {
    table.hold(List.of("app"));
    assertThat(next(A, State.LIVE)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(next(A, State.UNKNOWN)).as("after %d s", 10 * i).isEmpty();
    }
    assertThat(next(A, State.UNKNOWN)).isEqualTo(out());
    assertThat(next(A, State.UNKNOWN)).as("reported once").isEmpty();
  }

  @Test
  void oneCoordinatorThatCallsItAliveOutweighsOthersThatDoNotKnowIt() {
    table.hold(List.of("app"));
    for (int i = 0; i < 50; i++) {
      assertThat(next(A, State.UNKNOWN)).isEmpty();
      assertThat(says(B, State.LIVE)).isEmpty();
    }
  }

  @Test
  void silenceOfAllCoordinatorsDoesNotCount() {
    table.hold(List.of("app"));
    next(A, State.LIVE);
    next(A, State.UNKNOWN);
    table.failed(A);
    nowMs += 100 * LEASE_MS;
    table.failed(A);
    assertThat(says(A, State.UNKNOWN)).as("first answer after the silence").isEmpty();
  }

  @Test
  void aCoordinatorThatStartedAnewGivesAWholeLeaseToRegisterAgain() {
    table.hold(List.of("app"));
    next(A, State.LIVE);
    for (int i = 0; i < 5; i++) {
      next(A, State.UNKNOWN);
    }
    table.failed(A);
    nowMs += INTERVAL_MS;
    assertThat(says(A, State.UNKNOWN)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(next(A, State.UNKNOWN)).as("after %d s", 10 * i).isEmpty();
    }
    assertThat(next(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void aFurtherCoordinatorThatJoinsGivesAWholeLease() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    for (int i = 0; i < 5; i++) {
      next(A, State.UNKNOWN);
    }
    assertThat(says(B, State.UNKNOWN)).isEmpty();
    for (int i = 1; i < 6; i++) {
      assertThat(next(A, State.UNKNOWN)).isEmpty();
      assertThat(says(B, State.UNKNOWN)).isEmpty();
    }
    assertThat(next(B, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void timeCountsOnceHoweverManyCoordinatorsAnswer() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    says(B, State.UNKNOWN);
    for (int i = 1; i < 6; i++) {
      assertThat(next(A, State.UNKNOWN)).isEmpty();
      assertThat(says(B, State.UNKNOWN)).isEmpty();
    }
    assertThat(next(B, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void timeCountsWhileOneOfTwoCoordinatorsFails() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    says(B, State.UNKNOWN);
    table.failed(A);
    List<Expiry> expired = new ArrayList<>();
    int heartbeats = 0;
    while (expired.isEmpty() && heartbeats < 100) {
      heartbeats++;
      table.failed(A);
      expired.addAll(next(B, State.UNKNOWN));
    }
    assertThat(heartbeats).isEqualTo(6);
  }

  @Test
  void afterASuspensionTheFirstAnswerCannotEndWhatTheNextCallsAlive() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    says(B, State.UNKNOWN);
    nowMs += 10 * LEASE_MS;
    assertThat(says(B, State.UNKNOWN)).isEmpty();
    assertThat(says(A, State.LIVE)).isEmpty();
  }

  @Test
  void aNewApplicationStartsWithAWholeLease() {
    for (int i = 0; i < 20; i++) {
      next(A, State.UNKNOWN);
    }
    table.hold(List.of("app"));
    for (int i = 1; i < 6; i++) {
      assertThat(next(A, State.UNKNOWN)).isEmpty();
    }
    assertThat(next(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void holdingAgainDoesNotProlong() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    for (int i = 1; i < 6; i++) {
      next(A, State.UNKNOWN);
      table.hold(List.of("app"));
    }
    assertThat(next(A, State.UNKNOWN)).isEqualTo(out());
  }

  @Test
  void anApplicationThatIsHeldAgainAfterItWasGoneStartsAnew() {
    table.hold(List.of("app"));
    says(A, State.LIVE);
    for (int i = 1; i < 6; i++) {
      next(A, State.UNKNOWN);
    }
    table.hold(List.of());
    assertThat(next(A, State.ENDED)).as("not held").isEmpty();
    table.hold(List.of("app"));
    assertThat(next(A, State.UNKNOWN)).isEmpty();
  }

  @Test
  void aLongerLeaseOfACoordinatorCountsAndAShorterOneDoesNot() {
    table.answered(A, 1_000, List.of());
    assertThat(table.leaseMs()).isEqualTo(LEASE_MS);
    table.answered(B, 90_000, List.of());
    assertThat(table.leaseMs()).isEqualTo(90_000);
    table.answered(B, 70_000, List.of());
    assertThat(table.leaseMs()).as("the newest grant of each").isEqualTo(70_000);
  }

  @Test
  void anApplicationThatNoAnswerNamesExpiresToo() {
    table.hold(List.of("app", "other"));
    says(A, State.LIVE);
    List<Expiry> expired = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      expired.addAll(next(A, State.LIVE));
    }
    assertThat(expired).containsExactly(new Expiry("other", Reason.LEASE_OUT));
    assertThat(table.applications()).containsExactly("app");
  }

  @Test
  void refusesALeaseOfNothing() {
    assertThatThrownBy(() -> new LeaseTable(() -> 0, 0)).hasMessageContaining("positive: 0");
  }
}
