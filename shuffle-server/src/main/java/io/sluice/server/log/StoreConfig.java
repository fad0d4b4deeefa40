package io.sluice.server.log;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Bounds of a server's store.
 *
 * @param maxShuffles most shuffles at a time
 * @param maxTombstones forgotten shuffles that are remembered as such; the oldest go first
 * @param maxBufferedExtents log entries of blocks in memory beyond which pushes are told to come
 *     back later; a quarter of it starts spilling. An entry costs about 90 bytes of heap
 * @param maxPartitions most partitions of all shuffles that may hold blocks; each costs some 500
 *     bytes of heap
 * @param maxMetadataBytes bytes of heap for what is known of partitions, attempts and runs, beyond
 *     which pushes go to another server
 * @param log sizes of each log
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
              "Maximum number of shuffles; pushes of a further one fail over to another server or"
                  + " to local output. Raise it with the heap for very many small jobs.")
          .build();

  static final ConfigKey<Long> HUGE_PARTITION =
      ConfigKey.dataSize("rss.server.huge.partition.threshold")
          .deprecatedName("rss.server.huge-partition.size.threshold")
          .defaultValue(LogConfig.DEFAULT.hugePartitionBytes())
          .atLeast(1L << 20)
          .doc(
              "Size beyond which a partition is huge: clients continue on another server, and"
                  + " blocks of its shuffle go straight to disk"
                  + " (rss.server.huge-partition.memory.limit.ratio). Lower it if skewed partitions"
                  + " fill single disks.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(MAX_SHUFFLES, HUGE_PARTITION);

  public StoreConfig {
    if (maxShuffles < 1
        || maxTombstones < 1
        || maxBufferedExtents < 4
        || maxPartitions < 1
        || maxMetadataBytes < 1) {
      throw new IllegalArgumentException("store bounds must be positive");
    }
  }

  /**
   * Bounds that fit a heap: at most a quarter of it for entries of blocks in memory, half of it for
   * what is known of partitions, attempts and runs.
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

  /** As configured, in a heap of that size. */
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
