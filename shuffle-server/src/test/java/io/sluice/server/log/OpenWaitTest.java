package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class OpenWaitTest {
  /** A wait for partitions 3 and 5; the wanted attempts have the ordinals 0, 1, 2 … */
  private static OpenWait wait(int permille, long... attempts) {
    OpenWait wait =
        new OpenWait(
            new int[] {3, 5}, Roaring64NavigableMap.bitmapOf(attempts), permille, () -> {});
    for (int ordinal = 0; ordinal < attempts.length; ordinal++) {
      wait.sawAttempt(attempts[ordinal], ordinal);
    }
    wait.begin(0, new RoaringBitmap());
    wait.begin(1, new RoaringBitmap());
    return wait;
  }

  @Test
  void waitsForEveryPartition() {
    OpenWait wait = wait(500, 10, 11);

    wait.completed(3, 0);
    wait.completed(3, 1);

    assertThat(wait.isSatisfied()).as("partition 5 has none").isFalse();
    wait.completed(5, 1);
    assertThat(wait.isSatisfied()).isTrue();
  }

  @Test
  void roundsTheNumberOfAttemptsUp() {
    OpenWait wait = wait(500, 10, 11, 12);

    wait.completed(3, 0);
    wait.completed(5, 0);

    assertThat(wait.isSatisfied()).as("a third").isFalse();
    wait.completed(3, 2);
    wait.completed(5, 1);
    assertThat(wait.isSatisfied()).isTrue();
  }
}
