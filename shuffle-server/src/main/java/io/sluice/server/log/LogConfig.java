package io.sluice.server.log;

/**
 * Limits of one shuffle log.
 *
 * @param markBytes maximum bytes of a slice mark, unless its last block is longer
 * @param hugePartitionBytes a partition longer than this is reported as full
 * @param maxAttempts maximum number of distinct map attempts of one shuffle
 * @param maxPartitions maximum number of partitions with blocks of one shuffle
 */
public record LogConfig(
    int markBytes, long hugePartitionBytes, int maxAttempts, int maxPartitions) {
  /**
   * 4 million attempts use 64 MiB of heap; the protocol allows 2^24 partitions, but more than 2^20
   * are rare.
   */
  public static final LogConfig DEFAULT = new LogConfig(1 << 20, 20L << 30, 1 << 22, 1 << 20);

  public LogConfig {
    if (markBytes < 1 || hugePartitionBytes < 1 || maxAttempts < 1 || maxPartitions < 1) {
      throw new IllegalArgumentException(
          "every limit of a log must be at least 1: markBytes="
              + markBytes
              + " hugePartitionBytes="
              + hugePartitionBytes
              + " maxAttempts="
              + maxAttempts
              + " maxPartitions="
              + maxPartitions);
    }
  }
}
