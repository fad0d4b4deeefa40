package io.sluice.server.merge;

import io.sluice.common.config.DataSize;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges runs whose extents are smaller than a target: as many neighbours as make extents of the
 * target's size, or as many as the bounds let through. What was merged is merged again if it is
 * still small, but only with runs that together are as large, so that no byte is written again more
 * often than a run can double.
 */
public record BlockSizePolicy(long targetBytes) implements MergePolicy {
  public BlockSizePolicy {
    if (targetBytes < 1) {
      throw new IllegalArgumentException("target of " + targetBytes + " bytes");
    }
  }

  @Override
  public List<MergeWindow> windows(List<MergeCandidate> stretch, MergeBounds bounds) {
    List<MergeWindow> windows = new ArrayList<>();
    for (int from = 0; from < stretch.size(); ) {
      int to = end(stretch, from, bounds);
      if (to > from) {
        windows.add(new MergeWindow(from, to));
        from = to;
      } else {
        from++;
      }
    }
    return windows;
  }

  /** Where a window that begins at {@code from} ends; {@code from} if there is none yet. */
  private int end(List<MergeCandidate> stretch, int from, MergeBounds bounds) {
    WindowSum sum = new WindowSum(bounds);
    int at = from;
    while (at < stretch.size() && isSmall(stretch.get(at))) {
      if (sum.isFullFor(stretch.get(at))) {
        return sum.isBalanced() ? at : from;
      }
      sum.add(stretch.get(at++));
      if (sum.isBalanced() && sum.mergedExtentBytes() >= targetBytes) {
        return at;
      }
    }
    return from;
  }

  private boolean isSmall(MergeCandidate run) {
    return run.bytes() / run.extents() < targetBytes;
  }

  @Override
  public String toString() {
    return "blocks of " + new DataSize(targetBytes);
  }
}
