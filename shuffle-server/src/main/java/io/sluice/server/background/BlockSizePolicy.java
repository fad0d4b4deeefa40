package io.sluice.server.background;

import io.sluice.common.config.DataSize;
import java.util.List;

/**
 * Merges neighbouring runs whose extents are smaller than a target, until the merged extents reach
 * the target or the bounds are reached. Merged runs that are still small are merged again if there
 * is no other work. They are merged only with runs of at least the same total size. So each rewrite
 * of a byte at least doubles its run.
 */
public record BlockSizePolicy(long targetBytes) implements MergePolicy {
  public BlockSizePolicy {
    if (targetBytes < 1) {
      throw new IllegalArgumentException(
          "target block size of " + targetBytes + " bytes, expected at least 1");
    }
  }

  @Override
  public List<MergeWindow> windows(List<MergeCandidate> sequence, MergeBounds bounds) {
    List<MergeWindow> first =
        Windows.cut(sequence.size(), from -> end(sequence, from, bounds, false));
    return first.isEmpty()
        ? Windows.cut(sequence.size(), from -> end(sequence, from, bounds, true))
        : first;
  }

  private int end(List<MergeCandidate> sequence, int from, MergeBounds bounds, boolean again) {
    WindowSum sum = new WindowSum(bounds);
    int at = from;
    while (at < sequence.size() && mayTake(sequence.get(at), again)) {
      if (sum.isFullFor(sequence.get(at))) {
        return sum.isBalanced() ? at : from;
      }
      sum.add(sequence.get(at++));
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

  /** The text used in logs and tables. */
  @Override
  public String toString() {
    return "blocks of " + new DataSize(targetBytes).toRoundedText();
  }
}
