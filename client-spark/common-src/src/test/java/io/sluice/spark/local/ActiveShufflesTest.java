package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ActiveShufflesTest {
  private final AtomicLong now = new AtomicLong();
  private final List<Integer> asked = new ArrayList<>();

  @Test
  void asksTheDriverOncePerIntervalAndShuffle() {
    ActiveShuffles wanted =
        new ActiveShuffles(
            shuffle -> {
              asked.add(shuffle);
              return shuffle != 8;
            },
            now::get);

    for (int i = 0; i < 100; i++) {
      assertThat(wanted.test(7)).isTrue();
    }
    assertThat(wanted.test(8)).isFalse();
    assertThat(wanted.test(8)).isFalse();
    assertThat(asked).containsExactly(7, 8);

    now.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(wanted.test(8)).isFalse();
    assertThat(asked).containsExactly(7, 8, 8);
  }

  @Test
  void isActiveIfTheDriverDoesNotAnswer() {
    ActiveShuffles wanted =
        new ActiveShuffles(
            shuffle -> {
              throw new IllegalStateException("no driver");
            },
            now::get);

    assertThat(wanted.test(7)).isTrue();
  }
}
