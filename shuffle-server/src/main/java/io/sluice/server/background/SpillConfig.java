package io.sluice.server.background;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;

/**
 * How much is written at a time.
 *
 * @param maxRunBytes most bytes of blocks in one run, but for a single larger frame
 * @param maxBufferedExtents log entries in memory that start spilling like the high mark does
 * @param hugeMemoryRatio most of the memory, as a share, that an application may hold while it has
 *     a huge partition
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
              "Share of rss.server.buffer.capacity that an application with a huge partition may"
                  + " hold; beyond it only its own pushes wait. Raise it if a server serves one large"
                  + " job at a time.")
          .build();

  /** With the default share for huge partitions. */
  public SpillConfig(long maxRunBytes, long maxBufferedExtents) {
    this(maxRunBytes, maxBufferedExtents, DEFAULT_HUGE_MEMORY_RATIO);
  }

  public SpillConfig {
    // A run's extents have lengths of 31 bits.
    if (maxRunBytes < 1 || maxRunBytes > 1L << 30 || maxBufferedExtents < 1) {
      throw new IllegalArgumentException(
          "run size must be 1 byte to 1 GiB, entries at least 1: " + maxRunBytes);
    }
    if (!(hugeMemoryRatio > 0 && hugeMemoryRatio <= 1)) {
      throw new IllegalArgumentException(
          "share of the memory must be above 0 and at most 1: " + hugeMemoryRatio);
    }
  }

  /** Runs of 256 MiB, or of a quarter of the memory if that is less, so that spills overlap. */
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
