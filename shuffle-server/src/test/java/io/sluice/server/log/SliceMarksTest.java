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
  private static final int MIN_MARK_BYTES = 4096;
  private static final int BLOCK_BYTES = 1 << 17;

  private static final int MAX = SliceMarkSnapshot.MAX_MARKS;

  private record Block(int map, int length) {}

  private static SliceMarks marksOf(List<Block> blocks) {
    return marksOf(MIN_MARK_BYTES, blocks);
  }

  private static SliceMarks marksOf(int minBytes, List<Block> blocks) {
    SliceMarks marks = new SliceMarks();
    for (Block block : blocks) {
      marks.add(block.map, block.length, minBytes, MARK_BYTES);
    }
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
      for (OpenSnapshot.Mark mark : marksOf(blocks).snapshot().all(MAX)) {
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

    assertThat(marksOf(blocks).snapshot().all(MAX)).hasSize(10);
  }

  @Test
  void tinyOutputsOfManyMapsShareMarks() {
    List<Block> blocks = new ArrayList<>();
    for (int map = 0; map < 10_000; map++) {
      blocks.add(new Block(map, 1_000));
    }

    assertThat(marksOf(blocks).snapshot().all(MAX))
        .hasSizeLessThan(10_000_000 / MIN_MARK_BYTES + 1);
  }

  @Test
  void withoutAMinimumEveryMapIsReadExactly() {
    for (int blockBytes : new int[] {65, 200, 10_000}) {
      SplittableRandom random = new SplittableRandom(blockBytes);
      List<Block> blocks = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        blocks.add(new Block(random.nextInt(100), blockBytes));
      }
      SliceMarks marks = marksOf(1, blocks);
      for (int first = 0; first < 100; first += 7) {
        int from = first;
        long wanted =
            blocks.stream().filter(one -> one.map >= from && one.map < from + 3).count()
                * blockBytes;
        assertThat(
                marks.snapshot().of(first, first + 3, MAX).stream()
                    .mapToLong(OpenSnapshot.Mark::length)
                    .sum())
            .isEqualTo(wanted);
      }
    }
  }

  @Test
  void rangesContainAllBlocksOfTheirMapsAndNoMarksOfOthersOnly() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Block> blocks = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        blocks.add(new Block(random.nextInt(200), 1 + random.nextInt(1 << 15)));
      }
      SliceMarkSnapshot marks = marksOf(blocks).snapshot();
      int first = random.nextInt(200);
      int end = first + 1 + random.nextInt(60);
      List<OpenSnapshot.Mark> found = marks.of(first, end, MAX);

      long wanted =
          marks.all(MAX).stream()
              .filter(mark -> mark.maxMapIndex() >= first && mark.minMapIndex() < end)
              .mapToLong(OpenSnapshot.Mark::length)
              .sum();
      assertThat(found.stream().mapToLong(OpenSnapshot.Mark::length).sum()).isEqualTo(wanted);
      long before = -1;
      for (OpenSnapshot.Mark mark : found) {
        assertThat(mark.offset()).as("neighbours are joined").isGreaterThan(before);
        before = mark.end();
      }
      long offset = 0;
      for (Block block : blocks) {
        long start = offset;
        offset += block.length;
        if (block.map >= first && block.map < end) {
          assertThat(found).anyMatch(mark -> mark.offset() <= start && mark.end() > start);
        }
      }
    }
  }

  @Test
  void aSnapshotDoesNotChange() {
    SliceMarks marks = new SliceMarks();
    List<SliceMarkSnapshot> snapshots = new ArrayList<>();
    List<List<OpenSnapshot.Mark>> atTheTime = new ArrayList<>();
    for (int map = 0; map < 300; map++) {
      marks.add(map * 7919 % 300, 10_000, MIN_MARK_BYTES, MARK_BYTES);
      snapshots.add(marks.snapshot());
      atTheTime.add(marks.snapshot().all(MAX));
    }

    assertThat(snapshots.stream().map(marksNow -> marksNow.all(MAX)).toList()).isEqualTo(atTheTime);
  }

  @Test
  void aMarkUsesFewBytesOfHeap() {
    SliceMarks marks = new SliceMarks();
    SplittableRandom random = new SplittableRandom(1);
    long heapBytes = 0;
    for (int i = 0; i < 100_000; i++) {
      heapBytes += marks.add(random.nextInt(8000), 10_000, MIN_MARK_BYTES, MARK_BYTES);
    }

    assertThat(heapBytes / 100_000.0).isBetween(4.0, 8.0);
  }

  @Test
  void joinsTheShortestMarksAboveTheMaximum() {
    List<OpenSnapshot.Mark> marks = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      marks.add(new OpenSnapshot.Mark(i * 20_000L, 10_000, i, i));
    }
    marks.add(new OpenSnapshot.Mark(1L << 40, 1 << 20, 3, 4));

    List<OpenSnapshot.Mark> few = SliceMarkSnapshot.atMost(600, marks);

    assertThat(few).hasSize(501);
    assertThat(few.get(0)).isEqualTo(new OpenSnapshot.Mark(0, 30_000, 0, 1));
    assertThat(few.get(500)).isEqualTo(marks.get(1000));
  }

  /**
   * Concurrent map tasks push to a skewed partition, once or several times each, and Spark reads it
   * in splits of whole map tasks. Compares the bytes that all splits fetch with the bytes of the
   * partition.
   */
  @ParameterizedTest
  @CsvSource({
    // map tasks, concurrent map tasks, KiB per map task, pushes per map task, map tasks per split
    "64, 8, 128, 1, 1",
    "64, 8, 300, 1, 1",
    "400, 200, 1000, 1, 64",
    "400, 200, 1000, 3, 64",
    "1000, 200, 250, 3, 256",
    "2000, 500, 130, 2, 500",
    "8000, 500, 32, 3, 2000",
    "8000, 2000, 32, 1, 2000",
    "8000, 2000, 32, 3, 2000",
    "5000, 1000, 100, 3, 655",
    "20000, 5000, 30, 3, 2200",
    "5000, 1000, 100, 1, 655",
    "200, 100, 10000, 3, 6",
  })
  void splitsOfWholeMapsReadFewBytesTwice(
      int maps, int sideBySide, int mapKib, int times, int pieceMaps) {
    List<Block> blocks = pushed(maps, sideBySide, mapKib << 10, times);
    SliceMarkSnapshot marks = marksOf(blocks).snapshot();
    long stored = blocks.stream().mapToLong(Block::length).sum();
    long fetched = 0;
    for (int first = 0; first < maps; first += pieceMaps) {
      for (OpenSnapshot.Mark mark : marks.of(first, first + pieceMaps, MAX)) {
        fetched += mark.length();
      }
    }

    assertThat((double) fetched / stored).isBetween(1.0, 1.05);
  }

  private record Push(double moment, int map, int length) {}

  /** Blocks in the order of arrival, if all map tasks have different durations. */
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
