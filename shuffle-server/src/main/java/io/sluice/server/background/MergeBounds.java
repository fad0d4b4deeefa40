package io.sluice.server.background;

/**
 * What one merge may take.
 *
 * @param maxInputs most runs, at least 2: each needs its share of the memory
 * @param maxBytes most bytes of blocks: a merged run is read, demoted and lost as a whole
 * @param maxExtents most extents of all inputs together: their indexes are held in memory
 */
public record MergeBounds(int maxInputs, long maxBytes, long maxExtents) {
  public MergeBounds {
    if (maxInputs < 2 || maxBytes < 1 || maxExtents < 2) {
      throw new IllegalArgumentException(
          "a merge of " + maxInputs + " runs, " + maxBytes + " bytes, " + maxExtents + " extents");
    }
  }
}
