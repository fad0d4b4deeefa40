package io.sluice.client.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.local.PushPlan.FileRange;
import io.sluice.client.local.PushPlan.Piece;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PushPlanTest {
  private static final int FRAME = 100;
  private static final int SKIP_ABOVE = 500;

  private static PushPlan plan(long[] lengths, int sets, IntUnaryOperator setOf, long seed) {
    return PushPlan.of(lengths, sets, setOf, FRAME, SKIP_ABOVE, new SplittableRandom(seed));
  }

  static LongStream seeds() {
    return LongStream.range(0, 50);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void coversEveryPartitionOnceInPiecesOfOneSet(long seed) {
    Random random = new Random(seed);
    int sets = 1 + random.nextInt(5);
    int slice = 1 + random.nextInt(20);
    IntUnaryOperator setOf = partition -> partition / slice % sets;
    long[] lengths = new long[random.nextInt(300)];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(10);
            case 2 -> random.nextInt(FRAME + 1);
            default -> random.nextInt(2 * SKIP_ABOVE);
          };
    }

    PushPlan plan = plan(lengths, sets, setOf, seed);

    int total = (int) Arrays.stream(lengths).sum();
    int[] partitionOf = new int[total];
    int at = 0;
    for (int partition = 0; partition < lengths.length; partition++) {
      Arrays.fill(partitionOf, at, at + (int) lengths[partition], partition);
      at += (int) lengths[partition];
    }
    BitSet covered = new BitSet();
    for (Piece piece : plan.pieces()) {
      BitSet partitions = new BitSet();
      long before = -1;
      for (FileRange range : piece.ranges()) {
        assertThat(range.offset()).isGreaterThan(before);
        int begin = (int) range.offset();
        int end = begin + (int) range.length();
        assertThat(covered.get(begin, end).isEmpty()).isTrue();
        covered.set(begin, end);
        Arrays.stream(partitionOf, begin, end).forEach(partitions::set);
        before = range.offset() + range.length();
      }
      assertThat(partitions.stream().map(setOf)).containsOnly(piece.set());
      assertThat(piece.length() <= FRAME || partitions.cardinality() == 1).isTrue();
    }
    BitSet expected = new BitSet();
    for (int i = 0; i < total; i++) {
      expected.set(i, lengths[partitionOf[i]] <= SKIP_ABOVE);
    }
    assertThat(covered).isEqualTo(expected);
    assertThat(plan.skippedBytes()).isEqualTo(total - expected.cardinality());
  }

  @Test
  void combinesSmallPartitionsOfOneSetIntoOnePiece() {
    long[] lengths = new long[100];
    Arrays.fill(lengths, 2);

    PushPlan plan = plan(lengths, 2, partition -> partition / 25 % 2, 1);

    assertThat(plan.pieces())
        .containsExactlyInAnyOrder(
            new Piece(0, List.of(new FileRange(0, 50), new FileRange(100, 50))),
            new Piece(1, List.of(new FileRange(50, 50), new FileRange(150, 50))));
  }

  @Test
  void beginsWithDifferentPiecesForDifferentOutputs() {
    long[] lengths = new long[50];
    Arrays.fill(lengths, FRAME);

    assertThat(
            LongStream.range(0, 20)
                .mapToObj(seed -> plan(lengths, 1, p -> 0, seed).pieces().get(0))
                .distinct())
        .hasSizeGreaterThan(5);
    assertThat(plan(lengths, 1, p -> 0, 3)).isEqualTo(plan(lengths, 1, p -> 0, 3));
  }
}
