package io.sluice.server.log;

/**
 * Sizes of a log.
 *
 * @param markBytes most bytes of a slice mark, but for one that ends in a longer block
 * @param hugePartitionBytes a partition longer than this is reported as full
 * @param maxAttempts most distinct map attempts of one shuffle
 * @param maxPartitions most partitions of one shuffle that may hold blocks
 */
public record LogConfig(
    int markBytes, long hugePartitionBytes, int maxAttempts, int maxPartitions) {
  /** 4 million attempts cost 64 MiB of heap; the protocol allows 2^24 partitions, few have 2^20. */
  public static final LogConfig DEFAULT = new LogConfig(1 << 20, 20L << 30, 1 << 22, 1 << 20);

  public LogConfig {
    if (markBytes < 1 || hugePartitionBytes < 1 || maxAttempts < 1 || maxPartitions < 1) {
      throw new IllegalArgumentException("log sizes must be at least 1");
    }
  }
}
