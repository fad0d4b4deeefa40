package io.sluice.server.log;

import java.util.List;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Snapshot of a shuffle for the reply to an Open.
 *
 * @param partitions requested partitions in the order of the request; null for a partition without
 *     blocks
 * @param completeSets distinct sets of complete attempts, as ordinals
 * @param attempts attempts by ordinal
 */
@SuppressWarnings("ArrayRecordComponent")
public record OpenSnapshot(
    List<Partition> partitions, List<RoaringBitmap> completeSets, long[] attempts) {

  /**
   * One partition.
   *
   * @param length bytes from logical offset 0, a block boundary
   * @param lost lost byte ranges, by ascending offset
   * @param completeSet index into {@link OpenSnapshot#completeSets}
   * @param marks slice marks; empty unless requested
   */
  public record Partition(
      long length, List<Stretch> lost, int completeSet, SliceMarkSnapshot marks) {}

  /** Bytes between two block boundaries. */
  public record Stretch(long offset, long length) {
    public long end() {
      return offset + length;
    }
  }

  /** Bytes between two block boundaries, with the lowest and highest map index in them. */
  public record Mark(long offset, long length, int minMapIndex, int maxMapIndex) {
    long end() {
      return offset + length;
    }

    /** Returns a mark from the start of this mark to the end of a later one. */
    Mark joined(Mark later) {
      return new Mark(
          offset,
          later.end() - offset,
          Math.min(minMapIndex, later.minMapIndex),
          Math.max(maxMapIndex, later.maxMapIndex));
    }
  }

  /** The attempts of one of {@link #completeSets}. */
  public Roaring64NavigableMap attemptsOf(int completeSet) {
    RoaringBitmap ordinals = completeSets.get(completeSet);
    long[] sorted = new long[ordinals.getCardinality()];
    int[] at = {0};
    ordinals.forEach((int ordinal) -> sorted[at[0]++] = attempts[ordinal]);
    java.util.Arrays.sort(sorted);
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    for (long attempt : sorted) {
      set.addLong(attempt);
    }
    set.runOptimize();
    return set;
  }
}
