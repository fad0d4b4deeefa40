package io.sluice.server.background;

import java.util.List;

/**
 * Runs that follow each other.
 *
 * @param from index of the first
 * @param to index behind the last
 */
public record MergeWindow(int from, int to) {
  public int count() {
    return to - from;
  }

  /**
   * What merging it is worth: extents fewer, for each byte that is written for it.
   *
   * @param stretch the runs that the indexes are of
   */
  public double gain(List<MergeCandidate> stretch) {
    long bytes = 0;
    long extents = 0;
    int mostExtents = 0;
    for (MergeCandidate run : stretch.subList(from, to)) {
      bytes += run.bytes();
      extents += run.extents();
      mostExtents = Math.max(mostExtents, run.extents());
    }
    return (double) (extents - mostExtents) / bytes;
  }
}
