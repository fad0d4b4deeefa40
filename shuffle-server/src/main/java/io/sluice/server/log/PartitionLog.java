package io.sluice.server.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * One partition: its attempts, its slice marks, and where each stretch of its bytes lies.
 *
 * <p>Invariants: extents are ordered, without gaps, from offset 0 to {@link #length}; a logical
 * offset never changes its bytes. Guarded by the lock of its {@link ShuffleLog}.
 */
final class PartitionLog {
  final int index;
  final SliceMarks marks = new SliceMarks();
  private AttemptProgress attempts = new AttemptProgress();
  private long length;
  private Extent[] extents = new Extent[1];
  private int extentCount;

  PartitionLog(int index) {
    this.index = index;
  }

  long length() {
    return length;
  }

  AttemptProgress attempts() {
    return attempts;
  }

  int extentCount() {
    return extentCount;
  }

  Extent extent(int at) {
    return extents[at];
  }

  /** Adds an extent that begins at {@link #length}. */
  void append(Extent extent) {
    assert extent.start == length : "extent at " + extent.start + ", log ends at " + length;
    if (extentCount == extents.length) {
      extents = Arrays.copyOf(extents, extentCount * 2);
    }
    extents[extentCount++] = extent;
    length = extent.end();
  }

  /** Number of the extent that holds {@code offset}, which lies before {@link #length}. */
  int find(long offset) {
    int low = 0;
    int high = extentCount - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (extents[middle].start <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Adds to {@code batch} what it has of the batch's runs: neighbours, so one stretch. */
  void collect(MergeBatch.Builder batch) {
    for (int i = 0; i < extentCount; i++) {
      if (extents[i] instanceof Extent.InFile file) {
        batch.add(this, file);
      }
    }
  }

  /**
   * Forgets what it had in some runs; then what it has is to be counted again.
   *
   * @return whether it had anything there
   */
  boolean lose(Set<StoredRun> runs) {
    boolean any = false;
    for (int i = 0; i < extentCount; i++) {
      if (extents[i] instanceof Extent.InFile file && runs.contains(file.run)) {
        extents[i] = new Extent.Lost(file.start, file.length);
        any = true;
      }
    }
    if (any) {
      attempts = new AttemptProgress();
    }
    return any;
  }

  /** What lies in files, by ascending offset. */
  List<LocatedExtent> located() {
    List<LocatedExtent> located = new ArrayList<>(extentCount);
    for (int i = 0; i < extentCount; i++) {
      if (extents[i] instanceof Extent.InFile file) {
        located.add(new LocatedExtent(file.run, file.fileOffset, file.start, file.length));
      }
    }
    return located;
  }

  /** Stretches that are gone, neighbours joined. */
  List<OpenSnapshot.Stretch> lost() {
    List<OpenSnapshot.Stretch> lost = List.of();
    for (int i = 0; i < extentCount; i++) {
      if (extents[i] instanceof Extent.Lost gone) {
        if (lost.isEmpty()) {
          lost = new ArrayList<>(1);
        }
        int last = lost.size() - 1;
        if (last >= 0 && lost.get(last).end() == gone.start) {
          lost.set(
              last,
              new OpenSnapshot.Stretch(
                  lost.get(last).offset(), lost.get(last).length() + gone.length));
        } else {
          lost.add(new OpenSnapshot.Stretch(gone.start, gone.length));
        }
      }
    }
    return lost;
  }

  /**
   * Lets {@code replacement} take the place of the extents that hold the same stretch.
   *
   * @throws IllegalStateException if no extents begin and end where it does
   */
  void replace(Extent replacement) {
    int first = find(replacement.start);
    int last = find(replacement.end() - 1);
    if (extents[first].start != replacement.start || extents[last].end() != replacement.end()) {
      throw new IllegalStateException(
          "partition "
              + index
              + ": no extents from "
              + replacement.start
              + " to "
              + replacement.end());
    }
    extents[first] = replacement;
    int removed = last - first;
    if (removed > 0) {
      System.arraycopy(extents, last + 1, extents, first + 1, extentCount - last - 1);
      Arrays.fill(extents, extentCount - removed, extentCount, null);
      extentCount -= removed;
      if (extentCount * 4 <= extents.length) {
        extents = Arrays.copyOf(extents, Math.max(1, extentCount * 2));
      }
    }
  }
}
