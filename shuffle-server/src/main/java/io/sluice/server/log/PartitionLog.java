package io.sluice.server.log;

import io.sluice.common.run.DamagedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Log of one partition: its attempts, slice marks and extents.
 *
 * <p>Invariant: the bytes at a logical offset never change. Guarded by the lock of its {@link
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

  /**
   * Adds the partition's extents in the runs of {@code batch}. The runs are consecutive, so the
   * extents are contiguous.
   */
  void collect(MergeBatch.Builder batch) {
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.isInMemory(i) && !extents.isLost(i)) {
        batch.add(this, (Extent.InFile) extents.get(i));
      }
    }
  }

  /**
   * Marks the partition's extents in some runs as lost and resets its attempts, which must then be
   * recounted.
   *
   * @return whether the partition had extents in these runs
   */
  boolean lose(Set<StoredRun> runs) {
    boolean any = extents.lose(runs);
    if (any) {
      attempts = new AttemptProgress();
    }
    return any;
  }

  /**
   * Marks damaged blocks of one run as lost.
   *
   * @return the blocks that were not lost before
   */
  List<DamagedBlock> lose(StoredRun run, List<DamagedBlock> blocks) {
    List<DamagedBlock> lost = new ArrayList<>(blocks.size());
    for (DamagedBlock block : blocks) {
      if (block.partition() == index && extents.lose(run, block.fileOffset(), block.length())) {
        lost.add(block);
      }
    }
    return lost;
  }

  /** Extents in files, by ascending offset. */
  List<LocatedExtent> located() {
    List<LocatedExtent> located = new ArrayList<>(extents.count());
    for (int i = 0; i < extents.count(); i++) {
      if (!extents.isInMemory(i) && extents.get(i) instanceof Extent.InFile file) {
        located.add(new LocatedExtent(file.run, file.fileOffset, file.start, file.length));
      }
    }
    return located;
  }

  /** Lost byte ranges; adjacent ranges are joined. */
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
