package io.sluice.server.background;

import java.util.List;

/**
 * Consecutive runs of a sequence.
 *
 * @param from index of the first
 * @param to index after the last
 */
public record MergeWindow(int from, int to) {
  public int count() {
    return to - from;
  }

  /**
   * Benefit of the merge: number of extents saved per byte written.
   *
   * @param sequence the runs of the sequence
   */
  public double gain(List<MergeCandidate> sequence) {
    long bytes = 0;
    long extents = 0;
    int maxExtents = 0;
    for (MergeCandidate run : sequence.subList(from, to)) {
      bytes += run.bytes();
      extents += run.extents();
      maxExtents = Math.max(maxExtents, run.extents());
    }
    return (double) (extents - maxExtents) / bytes;
  }
}
