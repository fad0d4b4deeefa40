package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private final AtomicLong nanos = new AtomicLong(-7);
  private final RateLimiter rate = new RateLimiter(1000, nanos::get);

  @Test
  void spreadsBytesOverTime() {
    assertThat(rate.take(500)).isZero();
    assertThat(rate.take(500)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(600));
    assertThat(rate.waitNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
    assertThat(rate.take(1)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
  }

  @Test
  void unusedCapacityDoesNotAccumulate() {
    rate.take(1);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));

    assertThat(rate.take(1)).isZero();
    assertThat(rate.take(1)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
  }

  @Test
  void withoutALimitNothingWaits() {
    RateLimiter unlimited = new RateLimiter(0, nanos::get);

    assertThat(unlimited.take(Long.MAX_VALUE)).isZero();
    assertThat(unlimited.waitNanos()).isZero();
  }
}
