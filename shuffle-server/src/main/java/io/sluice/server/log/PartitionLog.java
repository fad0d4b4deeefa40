package io.sluice.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One partition: its attempts, its slice marks, and where each stretch of its bytes lies.
 *
 * <p>Invariant: a logical offset never changes its bytes. Guarded by the lock of its {@link
 * ShuffleLog}.
 */
final class PartitionLog {
  final int index;
  final SliceMarks marks = new SliceMarks();
  private AttemptProgress attempts = new AttemptProgress();
  private final ExtentList extents = new ExtentList();

  PartitionLog(int index) {
    this.index = index;
  }

  long length() {
    return extents.length();
  }

  AttemptProgress attempts() {
    return attempts;
  }

  ExtentList extents() {
    return extents;
  }

  /** Adds to {@code batch} what it has of the batch's runs: neighbours, so one stretch. */
  void collect(MergeBatch.Builder batch) {
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.isInMemory(i) && !extents.isLost(i)) {
        batch.add(this, (Extent.InFile) extents.get(i));
      }
    }
  }

  /**
   * Forgets what it had in some runs; then what it has is to be counted again.
   *
   * @return whether it had anything there
   */
  boolean lose(Set<StoredRun> runs) {
    boolean any = extents.lose(runs);
    if (any) {
      attempts = new AttemptProgress();
    }
    return any;
  }

  /** What lies in files, by ascending offset. */
  List<LocatedExtent> located() {
    List<LocatedExtent> located = new ArrayList<>(extents.count());
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.isInMemory(i) && extents.get(i) instanceof Extent.InFile file) {
        located.add(new LocatedExtent(file.run, file.fileOffset, file.start, file.length));
      }
    }
    return located;
  }

  /** Stretches that are gone, neighbours joined. */
  List<OpenSnapshot.Stretch> lost() {
    List<OpenSnapshot.Stretch> lost = List.of();
    for (int i = 0; i < extents.count(); i++) {
      if (extents.isLost(i)) {
        if (lost.isEmpty()) {
          lost = new ArrayList<>(1);
        }
        int last = lost.size() - 1;
        long start = extents.start(i);
        if (last >= 0 && lost.get(last).end() == start) {
          start = lost.remove(last).offset();
        }
        lost.add(new OpenSnapshot.Stretch(start, extents.end(i) - start));
      }
    }
    return lost;
  }
}
