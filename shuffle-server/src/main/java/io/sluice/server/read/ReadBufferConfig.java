package io.sluice.server.read;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Configuration of reads for fetches.
 *
 * @param budgetBytes capacity of the read budget
 * @param disks configuration of disk reads
 */
public record ReadBufferConfig(long budgetBytes, DiskReadConfig disks) {
  private static final long BY_RATIO = -1;

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.read.buffer.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(
              BY_RATIO, "rss.server.read.buffer.capacity.ratio of rss.server.buffer.capacity")
          .atLeast(1L << 20)
          .doc(
              "Maximum number of bytes of replies to fetches that are being read"
                  + " or sent; additional fetches wait. One application gets at most half of it,"
                  + " one connection an eighth, but always one fetch; with TLS or gRPC, up to 256"
                  + " KiB of each reply count twice. Raise it if fetches wait while memory is"
                  + " free.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.read.buffer.capacity.ratio")
          .defaultValue(0.2)
          .atLeast(0.001)
          .atMost(10.0)
          .doc(
              "Size of the read budget as a share of rss.server.buffer.capacity,"
                  + " if rss.server.read.buffer.capacity is -1. Raise it if fetches wait while"
                  + " memory is free.")
          .build();

  /** Configuration keys of this record, without those of {@link DiskReadConfig}. */
  public static final List<ConfigKey<?>> KEYS = List.of(CAPACITY, CAPACITY_RATIO);

  /**
   * @param memoryBytes memory for blocks, for a budget that is a share of it
   */
  public static ReadBufferConfig from(ConfigSet set, long memoryBytes) {
    long asked = set.get(CAPACITY);
    return new ReadBufferConfig(
        asked == BY_RATIO
            ? Math.max(1L << 20, (long) (memoryBytes * set.get(CAPACITY_RATIO)))
            : asked,
        DiskReadConfig.from(set));
  }
}
