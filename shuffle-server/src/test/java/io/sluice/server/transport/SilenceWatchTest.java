package io.sluice.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {
  private static final DataTransportConfig CONFIG =
      new DataTransportConfig(1_000, 2_000, 10_000, 1, 1);
  private static final long BEGIN_NANOS = -5_000_000_000L;

  private final SilenceWatch watch = new SilenceWatch(CONFIG, BEGIN_NANOS);

  private String at(long ms, SilenceWatch.Look look) {
    return watch.overdue(BEGIN_NANOS + TimeUnit.MILLISECONDS.toNanos(ms), look);
  }

  private static SilenceWatch.Look quiet(boolean greeted) {
    return new SilenceWatch.Look(greeted, 0, false, false, 0);
  }

  private static SilenceWatch.Look inBody(long receivedBytes) {
    return new SilenceWatch.Look(true, receivedBytes, false, true, 0);
  }

  @Test
  void looksOftenEnoughForTheShortestLimit() {
    assertThat(watch.intervalMs()).isEqualTo(250);
  }

  @Test
  void waitsForHelloOnlySoLong() {
    assertThat(at(999, quiet(false))).isNull();
    assertThat(at(1_000, quiet(false))).isEqualTo("HELLO");
  }

  @Test
  void idleConnectionMayStay() {
    for (int ms = 0; ms < 100_000; ms += 250) {
      assertThat(at(ms, quiet(true))).isNull();
    }
  }

  @Test
  void bodyMustGoOn() {
    assertThat(at(5_000, inBody(10))).isNull();
    assertThat(at(6_900, inBody(20))).isNull();
    assertThat(at(8_800, inBody(20))).isNull();
    assertThat(at(8_900, inBody(20))).isEqualTo("the rest of a body");
  }

  @Test
  void bodyThatTricklesMustEnd() {
    String overdue = null;
    int ms = 0;
    while (overdue == null && ms < 60_000) {
      ms += 250;
      overdue = at(ms, inBody(ms));
    }
    assertThat(overdue).isEqualTo("the end of a body");
    assertThat(ms).isEqualTo(10_250);
  }

  @Test
  void nextBodyHasItsOwnTime() {
    for (int ms = 0; ms < 50_000; ms += 250) {
      boolean between = ms % 5_000 == 0;
      assertThat(at(ms, between ? quiet(true) : inBody(ms))).isNull();
    }
  }

  @Test
  void headMustGoOn() {
    SilenceWatch.Look half = new SilenceWatch.Look(true, 17, true, false, 0);
    assertThat(at(100, half)).isNull();
    assertThat(at(2_050, half)).isNull();
    assertThat(at(2_100, half)).isEqualTo("the rest of a head");
  }

  @Test
  void repliesMustBeTaken() {
    assertThat(at(0, new SilenceWatch.Look(true, 0, false, false, 7))).isNull();
    assertThat(at(1_900, new SilenceWatch.Look(true, 0, false, false, 8))).isNull();
    assertThat(at(3_800, new SilenceWatch.Look(true, 0, false, false, 8))).isNull();
    assertThat(at(3_900, new SilenceWatch.Look(true, 0, false, false, 8)))
        .isEqualTo("the client to take its replies");
  }

  @Test
  void repliesTakenInTimeAreForgotten() {
    assertThat(at(0, new SilenceWatch.Look(true, 0, false, false, 7))).isNull();
    assertThat(at(1_900, quiet(true))).isNull();
    assertThat(at(2_000, new SilenceWatch.Look(true, 0, false, false, 7))).isNull();
    assertThat(at(3_900, new SilenceWatch.Look(true, 0, false, false, 7))).isNull();
  }
}
