package io.sluice.server.background;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;

/**
 * Sizes of spills.
 *
 * @param maxRunBytes maximum bytes of blocks in one run; a single frame may exceed it
 * @param maxBufferedExtents number of log entries in memory at which spilling starts, like the high
 *     watermark
 * @param hugeMemoryRatio maximum share of the memory for an application with a huge partition
 */
public record SpillConfig(long maxRunBytes, long maxBufferedExtents, double hugeMemoryRatio) {
  private static final double DEFAULT_HUGE_MEMORY_RATIO = 0.2;

  private static final long DEFAULT_RUN_BYTES = 256L << 20;

  public static final ConfigKey<Double> HUGE_RATIO =
      ConfigKey.decimal("rss.server.huge-partition.memory.limit.ratio")
          .defaultValue(DEFAULT_HUGE_MEMORY_RATIO)
          .atLeast(0.001)
          .atMost(1.0)
          .doc(
              "Maximum share of rss.server.buffer.capacity for an application with a huge"
                  + " partition; above it, pushes of that application wait. Raise it if a server"
                  + " serves one large job at a time.")
          .build();

  /** With the default share for huge partitions. */
  public SpillConfig(long maxRunBytes, long maxBufferedExtents) {
    this(maxRunBytes, maxBufferedExtents, DEFAULT_HUGE_MEMORY_RATIO);
  }

  public SpillConfig {
    // Extents have 31-bit lengths.
    if (maxRunBytes < 1 || maxRunBytes > 1L << 30 || maxBufferedExtents < 1) {
      throw new IllegalArgumentException(
          "maxRunBytes must be 1 byte to 1 GiB, maxBufferedExtents at least 1: " + maxRunBytes);
    }
    if (!(hugeMemoryRatio > 0 && hugeMemoryRatio <= 1)) {
      throw new IllegalArgumentException(
          "hugeMemoryRatio must be above 0 and at most 1: " + hugeMemoryRatio);
    }
  }

  /** Runs of 256 MiB, or a quarter of the memory if that is less, so that spills overlap. */
  public static SpillConfig forCapacity(long memoryCapacityBytes, long maxBufferedExtents) {
    return forCapacity(memoryCapacityBytes, maxBufferedExtents, DEFAULT_HUGE_MEMORY_RATIO);
  }

  /** As {@link #forCapacity(long, long)}, with the configured share for huge partitions. */
  public static SpillConfig from(ConfigSet set, long memoryCapacityBytes, long maxBufferedExtents) {
    return forCapacity(memoryCapacityBytes, maxBufferedExtents, set.get(HUGE_RATIO));
  }

  private static SpillConfig forCapacity(
      long memoryCapacityBytes, long maxBufferedExtents, double hugeMemoryRatio) {
    return new SpillConfig(
        Math.max(1, Math.min(DEFAULT_RUN_BYTES, memoryCapacityBytes / 4)),
        maxBufferedExtents,
        hugeMemoryRatio);
  }
}
