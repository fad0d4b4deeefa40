package io.sluice.server.log;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Limits of a server's shuffle store.
 *
 * @param maxShuffles maximum number of shuffles
 * @param maxTombstones maximum number of tombstones of removed shuffles; the oldest are dropped
 *     first
 * @param maxBufferedExtents maximum number of extents in memory; pushes beyond it are refused with
 *     BUSY, and spilling starts at a quarter of it. An extent uses about 90 bytes of heap
 * @param maxPartitions maximum number of partitions with blocks of all shuffles; each uses about
 *     500 bytes of heap
 * @param maxMetadataBytes maximum heap for metadata of partitions, attempts and runs; pushes beyond
 *     it are refused with NO_SPACE
 * @param log limits of each shuffle log
 */
public record StoreConfig(
    int maxShuffles,
    int maxTombstones,
    long maxBufferedExtents,
    long maxPartitions,
    long maxMetadataBytes,
    LogConfig log) {
  public static final StoreConfig DEFAULT =
      new StoreConfig(100_000, 100_000, 4L << 20, 4L << 20, 2L << 30, LogConfig.DEFAULT);

  static final ConfigKey<Integer> MAX_SHUFFLES =
      ConfigKey.integer("rss.server.shuffles.max")
          .defaultValue(DEFAULT.maxShuffles())
          .atLeast(1)
          .doc(
              "Maximum number of shuffles on this server; pushes of additional"
                  + " shuffles fail over to another server or to local output. Raise it, together"
                  + " with the heap, for clusters with very many small jobs.")
          .build();

  static final ConfigKey<Long> HUGE_PARTITION =
      ConfigKey.dataSize("rss.server.huge.partition.threshold")
          .deprecatedName("rss.server.huge-partition.size.threshold")
          .defaultValue(LogConfig.DEFAULT.hugePartitionBytes())
          .atLeast(1L << 20)
          .doc(
              "Size above which a partition is huge: clients continue on an"
                  + " additional server, and the server spills its blocks early"
                  + " (rss.server.huge-partition.memory.limit.ratio). Lower it if skewed"
                  + " partitions fill single disks.")
          .build();

  /** Configuration keys of this record. */
  public static final List<ConfigKey<?>> KEYS = List.of(MAX_SHUFFLES, HUGE_PARTITION);

  public StoreConfig {
    if (maxShuffles < 1
        || maxTombstones < 1
        || maxBufferedExtents < 4
        || maxPartitions < 1
        || maxMetadataBytes < 1) {
      throw new IllegalArgumentException("limits of the store must be positive");
    }
  }

  /**
   * Limits for a heap size: at most a quarter of the heap for extents in memory, and half of it for
   * metadata of partitions, attempts and runs.
   */
  public static StoreConfig forHeap(long heapMaxBytes) {
    return new StoreConfig(
        DEFAULT.maxShuffles,
        DEFAULT.maxTombstones,
        Math.max(1L << 14, heapMaxBytes / 4 / 96),
        Math.max(1L << 14, heapMaxBytes / 2 / 512),
        Math.max(1L << 14, heapMaxBytes / 2),
        DEFAULT.log);
  }

  /** Creates the limits from the configuration and the heap size. */
  public static StoreConfig from(ConfigSet set, long heapMaxBytes) {
    StoreConfig sized = forHeap(heapMaxBytes);
    LogConfig log = sized.log;
    return new StoreConfig(
        set.get(MAX_SHUFFLES),
        sized.maxTombstones,
        sized.maxBufferedExtents,
        sized.maxPartitions,
        sized.maxMetadataBytes,
        new LogConfig(
            log.markBytes(), set.get(HUGE_PARTITION), log.maxAttempts(), log.maxPartitions()));
  }
}
