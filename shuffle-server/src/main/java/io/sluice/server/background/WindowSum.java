package io.sluice.server.background;

/** Totals of a window of runs, updated as runs are added. Not thread-safe. */
final class WindowSum {
  private final MergeBounds bounds;
  private int count;
  private long bytes;
  private long largestBytes;
  private long extents;
  private int maxExtents;

  WindowSum(MergeBounds bounds) {
    this.bounds = bounds;
  }

  /** Whether adding a run would exceed the bounds. */
  boolean isFullFor(MergeCandidate run) {
    return count == bounds.maxInputs()
        || run.bytes() > bounds.maxBytes() - bytes
        || run.extents() > bounds.maxExtents() - extents;
  }

  void add(MergeCandidate run) {
    count++;
    bytes += run.bytes();
    largestBytes = Math.max(largestBytes, run.bytes());
    extents += run.extents();
    maxExtents = Math.max(maxExtents, run.extents());
  }

  int count() {
    return count;
  }

  /** Upper bound of the average extent size after the merge. */
  long mergedExtentBytes() {
    return bytes / Math.max(1, maxExtents);
  }

  /**
   * Whether every run at least doubles in the merge. This bounds the rewrites of a byte by the
   * number of doublings, whatever the order of the runs.
   */
  boolean isBalanced() {
    return count > 1 && largestBytes <= bytes - largestBytes;
  }
}
