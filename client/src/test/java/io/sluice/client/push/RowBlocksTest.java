package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.push.RowBlocks.Choice;
import io.sluice.client.rows.RowPlanes;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowBlocksTest {
  private static final int LENGTH = 10_000;
  private static final int ROWS = 100;

  private final RowBlocks rows = new RowBlocks(3);

  private long count(Choice choice, int blocks) {
    return IntStream.range(0, blocks).filter(i -> rows.choose(LENGTH, ROWS) == choice).count();
  }

  @Test
  void samplesTheFirstBlockAndOneOfEight() {
    assertThat(rows.choose(LENGTH, ROWS)).isEqualTo(Choice.COMPARE);
    rows.compared(LENGTH, 5_000, 2_000);
    StringBuilder chosen = new StringBuilder();
    for (int i = 0; i < 64; i++) {
      chosen.append(rows.choose(LENGTH, ROWS).name().charAt(0));
    }
    String three = "EEEEEEES".repeat(3);
    assertThat(chosen.toString()).isEqualTo((three + "EEEEEEEC").repeat(2));
  }

  @Test
  void estimatesByTheSamplesOfBlocksOfSimilarLength() {
    assertThat(rows.sampledLength(LENGTH)).isEqualTo(LENGTH);
    rows.sampled(LENGTH, 5_000);
    rows.sampled(100_000, 20_000);
    assertThat(rows.sampledLength(LENGTH + 2_000)).isEqualTo(6_000);
    assertThat(rows.sampledLength(100_000)).isEqualTo(20_000);
    assertThat(rows.comparedLength(LENGTH)).isEqualTo(LENGTH);
    for (int i = 0; i < 20; i++) {
      rows.sampled(LENGTH, 8_000);
    }
    assertThat(rows.sampledLength(LENGTH)).isBetween(7_900, 8_000);
  }

  @Test
  void pausesLongerAfterEachComparisonWithoutGain() {
    assertThat(rows.choose(LENGTH, ROWS)).isEqualTo(Choice.COMPARE);
    for (int pause : new int[] {16, 32, 64, 128, 256, 512, 1024, 1024, 1024}) {
      rows.compared(LENGTH, 5_000, 4_900);
      assertThat(count(Choice.PLAIN, pause)).isEqualTo(pause);
      assertThat(rows.choose(LENGTH, ROWS)).isEqualTo(Choice.COMPARE);
    }
    // Blocks of another length are not affected.
    assertThat(rows.choose(LENGTH * 10, ROWS)).isEqualTo(Choice.COMPARE);
    rows.compared(LENGTH, 500_000, 1_000);
    assertThat(count(Choice.PLAIN, 100)).isZero();
    // One gain ends the growth of pauses.
    for (int i = 0; i < 20; i++) {
      rows.compared(LENGTH, 5_000, 2_000);
    }
    rows.compared(LENGTH, 50_000, 50_000);
    assertThat(count(Choice.PLAIN, 100)).isEqualTo(16);
  }

  @Test
  void blocksThatCannotBeEncodedPauseButDoNotChangeTheEstimate() {
    rows.sampled(LENGTH, 5_000);
    rows.refused(LENGTH);
    assertThat(rows.choose(LENGTH, ROWS)).isEqualTo(Choice.PLAIN);
    assertThat(rows.sampledLength(LENGTH)).isEqualTo(5_000);
  }

  @Test
  void smallBlocksAndBlocksWithFewRowsStayPlain() {
    assertThat(rows.choose(RowBlocks.MIN_BYTES - 1, ROWS)).isEqualTo(Choice.PLAIN);
    assertThat(rows.choose(LENGTH, RowBlocks.MIN_ROWS - 1)).isEqualTo(Choice.PLAIN);
    assertThat(rows.choose(RowBlocks.MIN_BYTES, RowBlocks.MIN_ROWS)).isEqualTo(Choice.COMPARE);
  }

  @Test
  void rowsWithTooManyFieldsAreNotSupported() {
    assertThat(RowBlocks.isSupported(0)).isTrue();
    assertThat(RowBlocks.isSupported(RowPlanes.MAX_FIELDS)).isTrue();
    assertThat(RowBlocks.isSupported(RowPlanes.MAX_FIELDS + 1)).isFalse();
  }
}
