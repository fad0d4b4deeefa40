package io.sluice.server.log;

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
}
