package io.sluice.server.spill;

/**
 * How much is written at a time.
 *
 * @param maxRunBytes most bytes of blocks in one run, but for a single larger frame
 * @param maxBufferedExtents log entries in memory that start spilling like the high mark does
 */
public record SpillConfig(long maxRunBytes, long maxBufferedExtents) {
  private static final long DEFAULT_RUN_BYTES = 256L << 20;

  public SpillConfig {
    // A run's extents have lengths of 31 bits.
    if (maxRunBytes < 1 || maxRunBytes > 1L << 30 || maxBufferedExtents < 1) {
      throw new IllegalArgumentException(
          "run size must be 1 byte to 1 GiB, entries at least 1: " + maxRunBytes);
    }
  }

  /** Runs of 256 MiB, or of a quarter of the memory if that is less, so that spills overlap. */
  public static SpillConfig forCapacity(long memoryCapacityBytes, long maxBufferedExtents) {
    return new SpillConfig(
        Math.max(1, Math.min(DEFAULT_RUN_BYTES, memoryCapacityBytes / 4)), maxBufferedExtents);
  }
}
