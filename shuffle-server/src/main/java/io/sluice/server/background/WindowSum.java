package io.sluice.server.background;

/** Adds up a window of runs while it grows. Not thread-safe. */
final class WindowSum {
  private final MergeBounds bounds;
  private int count;
  private long bytes;
  private long largestBytes;
  private long extents;
  private int mostExtents;

  WindowSum(MergeBounds bounds) {
    this.bounds = bounds;
  }

  /** Whether one more run would be too much. */
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
    mostExtents = Math.max(mostExtents, run.extents());
  }

  int count() {
    return count;
  }

  /** Average size of an extent once these are one run; no more than that. */
  long mergedExtentBytes() {
    return bytes / Math.max(1, mostExtents);
  }

  /**
   * Whether every run at least doubles: then a byte is written again only so often as sizes can
   * double, whatever the order in which runs come.
   */
  boolean isBalanced() {
    return count > 1 && largestBytes <= bytes - largestBytes;
  }
}
