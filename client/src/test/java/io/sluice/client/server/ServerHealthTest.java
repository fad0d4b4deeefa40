package io.sluice.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerHealthTest {
  private final AtomicLong now = new AtomicLong();
  private final ServerHealth health = new ServerHealth(100, now::get);

  private static ServerId server(String name, long epoch) {
    return ServerId.newBuilder().setName(name).setEpoch(epoch).build();
  }

  private void passMs(long ms) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void letsOneTaskProbeAFailingServerPerInterval() {
    assertThat(health.mayProbe(server("a", 1))).isTrue();
    assertThat(health.markFailing(server("a", 1))).isTrue();
    assertThat(health.markFailing(server("a", 1))).isFalse();

    assertThat(health.isFailing(server("a", 1))).isTrue();
    assertThat(health.isFailing(server("b", 1))).isFalse();
    assertThat(health.mayProbe(server("a", 1))).isFalse();
    passMs(99);
    assertThat(health.mayProbe(server("a", 1))).isFalse();
    passMs(1);
    assertThat(health.mayProbe(server("a", 1))).isTrue();
    assertThat(health.mayProbe(server("a", 1))).isFalse();
    passMs(100);
    assertThat(health.mayProbe(server("a", 1))).isTrue();
  }

  @Test
  void isHealthyAgainAfterAReply() {
    health.markFailing(server("a", 1));
    health.markFailing(server("b", 1));
    health.markHealthy(server("a", 1));

    assertThat(health.isFailing(server("a", 1))).isFalse();
    assertThat(health.mayProbe(server("a", 1))).isTrue();
    assertThat(health.isFailing(server("b", 1))).isTrue();
    assertThat(health.markFailing(server("a", 1))).isTrue();
  }

  @Test
  void isGivenUpOnceATaskHasWaitedForIt() {
    assertThat(health.markUnreachable(server("a", 1))).isTrue();
    assertThat(health.isFailing(server("a", 1))).isTrue();
    assertThat(health.isGivenUp(server("a", 1))).isFalse();
    assertThat(health.mayProbe(server("a", 1))).isFalse();
    passMs(100);
    assertThat(health.mayProbe(server("a", 1))).isTrue();
    assertThat(health.isGivenUp(server("a", 1))).isFalse();

    assertThat(health.markFailing(server("a", 1))).isFalse();
    assertThat(health.markUnreachable(server("a", 1))).isFalse();
    assertThat(health.isGivenUp(server("a", 1))).isTrue();
    passMs(100);
    assertThat(health.mayProbe(server("a", 1))).isTrue();
    assertThat(health.isGivenUp(server("a", 1))).isTrue();
    assertThat(health.isGivenUp(server("a", 2))).isFalse();
    assertThat(health.markUnreachable(server("a", 2))).isTrue();
    assertThat(health.isGivenUp(server("a", 2))).isFalse();
    health.markHealthy(server("a", 2));
    assertThat(health.isFailing(server("a", 2))).isFalse();
  }

  @Test
  void aFailureDoesNotConcernALaterEpoch() {
    health.markFailing(server("a", 1));

    assertThat(health.isFailing(server("a", 2))).isFalse();
    assertThat(health.mayProbe(server("a", 2))).isTrue();
    assertThat(health.isFailing(server("a", 1))).isTrue();
    assertThat(health.markFailing(server("a", 2))).isTrue();
    assertThat(health.isFailing(server("a", 2))).isTrue();
    // A failure report with the earlier epoch does not hide the failure of the later one.
    assertThat(health.markFailing(server("a", 1))).isFalse();
    assertThat(health.isFailing(server("a", 2))).isTrue();
  }
}
