package io.sluice.server.background;

/**
 * Bounds of one merge.
 *
 * @param maxInputs maximum number of runs, at least 2: each needs a share of the memory
 * @param maxBytes maximum bytes of blocks: a merged run is moved and lost as a whole
 * @param maxExtents maximum number of extents of all inputs: their indexes are in memory
 */
public record MergeBounds(int maxInputs, long maxBytes, long maxExtents) {
  public MergeBounds {
    if (maxInputs < 2 || maxBytes < 1 || maxExtents < 2) {
      throw new IllegalArgumentException(
          "invalid bounds of a merge: "
              + maxInputs
              + " runs, "
              + maxBytes
              + " bytes, "
              + maxExtents
              + " extents");
    }
  }
}
