package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThroughputWindowTest {
  private static final long SECOND_NANOS = 1_000_000_000L;

  private long count;
  private long nanos = -5 * SECOND_NANOS;
  private final ThroughputWindow window = new ThroughputWindow(() -> count, () -> nanos);

  private void second(long grown) {
    nanos += SECOND_NANOS;
    count += grown;
    window.sample();
  }

  @Test
  void isZeroBeforeTwoSamples() {
    assertThat(window.perSecond()).isZero();
    second(100);
    assertThat(window.perSecond()).isZero();
  }

  @Test
  void isTheMeanOfTheSamplesWhileTheyAreFewerThanTheWindow() {
    second(0);
    second(100);
    second(200);
    assertThat(window.perSecond()).isEqualTo(150);
  }

  @Test
  void ignoresSamplesOlderThanTenSeconds() {
    second(0);
    second(1_000_000);
    for (int i = 0; i < 10; i++) {
      second(70);
    }
    assertThat(window.perSecond()).isEqualTo(70);
  }

  @Test
  void followsTheClockWhenSamplesComeLate() {
    window.sample();
    nanos += 20 * SECOND_NANOS;
    count += 100;
    window.sample();
    assertThat(window.perSecond()).isEqualTo(5);
  }
}
