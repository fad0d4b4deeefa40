package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerHealthTest {
  private final AtomicLong now = new AtomicLong();
  private final ServerHealth health = new ServerHealth(100, now::get);

  private void passMs(long ms) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void letsOneTaskTryAFailingServerOnceInAWhile() {
    assertThat(health.mayTry("a")).isTrue();
    assertThat(health.gaveUp("a")).isTrue();
    assertThat(health.gaveUp("a")).isFalse();

    assertThat(health.isFailing("a")).isTrue();
    assertThat(health.isFailing("b")).isFalse();
    assertThat(health.mayTry("a")).isFalse();
    passMs(99);
    assertThat(health.mayTry("a")).isFalse();
    passMs(1);
    assertThat(health.mayTry("a")).isTrue();
    assertThat(health.mayTry("a")).isFalse();
    passMs(100);
    assertThat(health.mayTry("a")).isTrue();
  }

  @Test
  void forgetsTheTroubleWhenTheServerAnswers() {
    health.gaveUp("a");
    health.gaveUp("b");
    health.answered("a");

    assertThat(health.isFailing("a")).isFalse();
    assertThat(health.mayTry("a")).isTrue();
    assertThat(health.isFailing("b")).isTrue();
    assertThat(health.gaveUp("a")).isTrue();
  }
}
