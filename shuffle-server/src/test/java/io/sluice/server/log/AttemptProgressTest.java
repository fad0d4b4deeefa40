package io.sluice.server.log;

import static io.sluice.server.log.AttemptProgress.Verdict.COMPLETED;
import static io.sluice.server.log.AttemptProgress.Verdict.CONTRADICTION;
import static io.sluice.server.log.AttemptProgress.Verdict.DUPLICATE;
import static io.sluice.server.log.AttemptProgress.Verdict.KEPT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AttemptProgressTest {
  private final AttemptProgress progress = new AttemptProgress();

  @Test
  void dropsABlockAfterTheLastOne() {
    assertThat(progress.accept(7, 2, true)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 3, false)).isEqualTo(CONTRADICTION);
    assertThat(progress.accept(7, 4, true)).isEqualTo(CONTRADICTION);
    assertThat(progress.accept(7, 2, true)).isEqualTo(DUPLICATE);
    assertThat(progress.accept(7, 0, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 1, false)).isEqualTo(COMPLETED);
    assertThat(progress.accept(7, 3, false)).as("of a complete attempt").isEqualTo(DUPLICATE);
  }

  @Test
  void forgetsAllBlocksOfOneAttempt() {
    for (int attempt : new int[] {6, 7, 8}) {
      assertThat(progress.accept(attempt, 0, true)).isEqualTo(COMPLETED);
    }
    assertThat(progress.accept(9, 1, true)).isEqualTo(KEPT);
    long before = progress.metadataBytes();

    progress.forget(7);
    progress.forget(9);
    progress.forget(100);

    assertThat(progress.complete().toArray()).containsExactly(6, 8);
    assertThat(progress.metadataBytes()).isLessThan(before);
    assertThat(progress.accept(7, 0, true)).isEqualTo(COMPLETED);
    assertThat(progress.accept(9, 0, false)).isEqualTo(KEPT);
    assertThat(progress.accept(9, 1, true)).isEqualTo(COMPLETED);
    assertThat(progress.complete().toArray()).containsExactly(6, 7, 8, 9);
  }

  @Test
  void dropsALastBlockBeforeOtherBlocks() {
    assertThat(progress.accept(7, 0, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 5, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 3, true)).isEqualTo(CONTRADICTION);
    assertThat(progress.accept(7, 1, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 2, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 3, false)).isEqualTo(KEPT);
    assertThat(progress.complete().isEmpty()).as("two ends cannot both be right").isTrue();
  }

  @Test
  void dropsASecondLastBlock() {
    assertThat(progress.accept(7, 4, true)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 1, true)).isEqualTo(CONTRADICTION);
    assertThat(progress.accept(7, 0, false)).isEqualTo(KEPT);
    assertThat(progress.accept(7, 0, true)).as("the same number again").isNotEqualTo(KEPT);
    assertThat(progress.complete().isEmpty()).isTrue();
  }

  @Test
  void isCompleteWhenAllBlocksArrivedInAnyOrder() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      AttemptProgress each = new AttemptProgress();
      int count = 1 + random.nextInt(12);
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        order.add(i);
        if (random.nextInt(4) == 0) {
          order.add(i);
        }
      }
      Collections.shuffle(order, random);
      boolean[] seen = new boolean[count];
      int left = count;
      for (int sequence : order) {
        AttemptProgress.Verdict verdict = each.accept(3, sequence, sequence == count - 1);
        boolean isNew = !seen[sequence];
        seen[sequence] = true;
        left -= isNew ? 1 : 0;
        assertThat(verdict)
            .as("seed %d block %d of %s", seed, sequence, order)
            .isEqualTo(isNew ? left == 0 ? COMPLETED : KEPT : DUPLICATE);
      }
      assertThat(each.complete().contains(3)).isTrue();
    }
  }

  /** What is known of an attempt. */
  private static final class Known {
    final Set<Integer> received = new HashSet<>();
    int last = -1;
    boolean complete;
  }

  @Test
  void attemptsDoNotAffectEachOtherInRandomSchedules() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      AttemptProgress each = new AttemptProgress();
      Map<Integer, Known> known = new HashMap<>();
      for (int step = 0; step < 400; step++) {
        int attempt = random.nextInt(20);
        if (random.nextInt(12) == 0) {
          known.remove(attempt);
          each.forget(attempt);
        } else {
          int sequence = random.nextInt(5);
          boolean last = random.nextInt(4) == 0;
          assertThat(each.accept(attempt, sequence, last))
              .as("seed %d step %d", seed, step)
              .isEqualTo(
                  expected(known.computeIfAbsent(attempt, unused -> new Known()), sequence, last));
        }
        long open = known.values().stream().filter(found -> !found.complete).count();
        assertThat(each.metadataBytes()).isEqualTo(open * LogFootprint.OPEN_ATTEMPT_BYTES);
      }
      for (int attempt = 0; attempt < 20; attempt++) {
        assertThat(each.complete().contains(attempt))
            .isEqualTo(known.containsKey(attempt) && known.get(attempt).complete);
      }
    }
  }

  private static AttemptProgress.Verdict expected(Known known, int sequence, boolean last) {
    if (known.complete) {
      return DUPLICATE;
    }
    int highest = known.received.stream().mapToInt(each -> each).max().orElse(-1);
    boolean contradicts =
        known.last >= 0
            ? sequence > known.last || (last && sequence != known.last)
            : last && sequence < highest;
    if (contradicts) {
      return CONTRADICTION;
    }
    if (!known.received.add(sequence)) {
      return DUPLICATE;
    }
    if (last) {
      known.last = sequence;
    }
    known.complete = known.last >= 0 && known.received.size() == known.last + 1;
    return known.complete ? COMPLETED : KEPT;
  }

  @Test
  void countsHeapOfAttemptsInProgressAndOfSetsWithGaps() {
    progress.accept(7, 0, false);
    assertThat(progress.metadataBytes()).isEqualTo(LogFootprint.OPEN_ATTEMPT_BYTES);
    progress.accept(7, 1, true);
    assertThat(progress.metadataBytes()).isZero();
    AttemptProgress inOrder = new AttemptProgress();
    AttemptProgress everyOther = new AttemptProgress();
    for (int attempt = 0; attempt < 10_000; attempt++) {
      inOrder.accept(attempt, 0, true);
      everyOther.accept(attempt * 2, 0, true);
    }
    assertThat(inOrder.metadataBytes()).isLessThan(100);
    assertThat(everyOther.metadataBytes()).isBetween(2_500L, 20_000L);
  }
}
