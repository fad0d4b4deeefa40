package io.sluice.server.background;

import io.sluice.common.config.DataSize;
import java.util.List;

/**
 * Merges runs whose extents are smaller than a target: as many neighbours as make extents of the
 * target's size, or as many as the bounds let through. What was merged is merged again if it is
 * still small and nothing else is left to do, but only with runs that together are as large: so no
 * byte is written again more often than a run can double.
 */
public record BlockSizePolicy(long targetBytes) implements MergePolicy {
  public BlockSizePolicy {
    if (targetBytes < 1) {
      throw new IllegalArgumentException("target of " + targetBytes + " bytes");
    }
  }

  @Override
  public List<MergeWindow> windows(List<MergeCandidate> stretch, MergeBounds bounds) {
    List<MergeWindow> first =
        Windows.cut(stretch.size(), from -> end(stretch, from, bounds, false));
    return first.isEmpty()
        ? Windows.cut(stretch.size(), from -> end(stretch, from, bounds, true))
        : first;
  }

  private int end(List<MergeCandidate> stretch, int from, MergeBounds bounds, boolean again) {
    WindowSum sum = new WindowSum(bounds);
    int at = from;
    while (at < stretch.size() && mayTake(stretch.get(at), again)) {
      if (sum.isFullFor(stretch.get(at))) {
        return sum.isBalanced() ? at : from;
      }
      sum.add(stretch.get(at++));
      if (sum.isBalanced()
          && (sum.mergedExtentBytes() >= targetBytes || sum.count() == bounds.maxInputs())) {
        return at;
      }
    }
    return from;
  }

  private boolean mayTake(MergeCandidate run, boolean again) {
    return run.bytes() / run.extents() < targetBytes && (again || !run.merged());
  }

  /** As in logs and tables. */
  @Override
  public String toString() {
    return "blocks of " + new DataSize(targetBytes).toRoundedText();
  }
}
