package io.sluice.server.background;

import java.util.List;

/**
 * Selects neighboring runs of a shuffle to merge. Deterministic: uses no clock and no files.
 * Thread-safe.
 */
public interface MergePolicy {
  /**
   * Selects the merges to do now.
   *
   * @param sequence consecutive runs of a shuffle that may all be merged
   * @return ascending windows of at least two runs each that do not overlap
   */
  List<MergeWindow> windows(List<MergeCandidate> sequence, MergeBounds bounds);
}
