package io.sluice.server.log;

import static io.sluice.server.log.AttemptProgress.Verdict.COMPLETED;
import static io.sluice.server.log.AttemptProgress.Verdict.CONTRADICTION;
import static io.sluice.server.log.AttemptProgress.Verdict.DUPLICATE;
import static io.sluice.server.log.AttemptProgress.Verdict.KEPT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
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
