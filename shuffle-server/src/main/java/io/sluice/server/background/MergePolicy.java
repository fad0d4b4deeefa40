package io.sluice.server.background;

import java.util.List;

/** Which neighbouring runs of a shuffle to merge. Pure: no clock, no files. Thread-safe. */
public interface MergePolicy {
  /**
   * What should be merged now.
   *
   * @param stretch runs that follow each other in their shuffle and may all be merged
   * @return windows of the stretch, of at least two runs each, ascending, that do not overlap
   */
  List<MergeWindow> windows(List<MergeCandidate> stretch, MergeBounds bounds);
}
