package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceMarksTest {
  private static final int MARK_BYTES = 1 << 20;
  private static final int BLOCK_BYTES = 1 << 17;

  private record Block(int map, int length) {}

  private static SliceMarks marksOf(List<Block> blocks) {
    SliceMarks marks = new SliceMarks();
    int ended = 0;
    for (Block block : blocks) {
      ended += marks.add(block.map, block.length, MARK_BYTES);
    }
    assertThat(marks.snapshot()).hasSizeBetween(ended, ended + 1);
    return marks;
  }

  @Test
  void marksCoverEveryBlockWithItsMapIndexInOrder() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Block> blocks = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        blocks.add(new Block(random.nextInt(1 << 24), 1 + random.nextInt(1 << 18)));
      }
      int next = 0;
      long offset = 0;
      for (OpenSnapshot.Mark mark : marksOf(blocks).snapshot()) {
        assertThat(mark.offset()).isEqualTo(offset);
        int lowest = Integer.MAX_VALUE;
        int highest = -1;
        while (offset < mark.offset() + mark.length()) {
          Block block = blocks.get(next++);
          lowest = Math.min(lowest, block.map);
          highest = Math.max(highest, block.map);
          offset += block.length;
        }
        assertThat(offset).isEqualTo(mark.offset() + mark.length());
        assertThat(mark.minMapIndex()).isEqualTo(lowest);
        assertThat(mark.maxMapIndex()).isEqualTo(highest);
      }
      assertThat(next).isEqualTo(blocks.size());
    }
  }

  @Test
  void aPartitionThatOneMapWroteHasOneMarkForEachMebibyte() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 160; i++) {
      blocks.add(new Block(7, 1 << 16));
    }

    assertThat(marksOf(blocks).snapshot()).hasSize(10);
  }

  @Test
  void tinyOutputsOfManyMapsShareMarks() {
    List<Block> blocks = new ArrayList<>();
    for (int map = 0; map < 10_000; map++) {
      blocks.add(new Block(map, 1_000));
    }

    assertThat(marksOf(blocks).snapshot()).hasSizeLessThan(10_000_000 / (MARK_BYTES / 16) + 1);
  }

  /**
   * Maps that run side by side push to a skewed partition, at their end or several times; Spark
   * reads it in pieces of whole maps. What all pieces together fetch, against what there is.
   */
  @ParameterizedTest
  @CsvSource({
    // maps, side by side, KiB of a map, times that it pushes, maps of a piece
    "64, 8, 128, 1, 1",
    "64, 8, 300, 1, 1",
    "400, 200, 1000, 1, 64",
    "400, 200, 1000, 3, 64",
    "1000, 200, 250, 3, 256",
    "2000, 500, 130, 2, 500",
    "8000, 500, 32, 3, 2000",
    "8000, 2000, 32, 1, 2000",
    "5000, 1000, 100, 1, 655",
    "200, 100, 10000, 3, 6",
  })
  void piecesOfWholeMapsReadLittleTwice(
      int maps, int sideBySide, int mapKib, int times, int pieceMaps) {
    List<Block> blocks = pushed(maps, sideBySide, mapKib << 10, times);
    List<OpenSnapshot.Mark> marks = marksOf(blocks).snapshot();
    long stored = blocks.stream().mapToLong(Block::length).sum();
    long fetched = 0;
    for (int first = 0; first < maps; first += pieceMaps) {
      for (OpenSnapshot.Mark mark : marks) {
        if (mark.maxMapIndex() >= first && mark.minMapIndex() < first + pieceMaps) {
          fetched += mark.length();
        }
      }
    }

    assertThat((double) fetched / stored).isBetween(1.0, 1.2);
  }

  private record Push(double moment, int map, int length) {}

  /** What arrives, by the time of arrival, if no two maps take equally long. */
  private static List<Block> pushed(int maps, int sideBySide, int mapBytes, int times) {
    SplittableRandom random = new SplittableRandom(maps + mapBytes);
    PriorityQueue<Double> free = new PriorityQueue<>();
    for (int i = 0; i < sideBySide; i++) {
      free.add(random.nextDouble() * 0.3);
    }
    List<Push> pushes = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      double begun = free.remove();
      double took = 1 + random.nextDouble() * 0.5;
      int bytes = mapBytes / 2 + random.nextInt(mapBytes);
      for (int i = 1; i <= times; i++) {
        pushes.add(new Push(begun + took * i / times, map, bytes / times));
      }
      free.add(begun + took);
    }
    pushes.sort(Comparator.comparingDouble(Push::moment));
    List<Block> blocks = new ArrayList<>();
    for (Push push : pushes) {
      for (int left = push.length; left > 0; left -= BLOCK_BYTES) {
        blocks.add(new Block(push.map, Math.min(left, BLOCK_BYTES)));
      }
    }
    return blocks;
  }
}
