package io.sluice.server.read;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How fetches are answered.
 *
 * @param budgetBytes of replies being read or sent at a time
 * @param disks how run files are read
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
              "Maximum bytes of replies to fetches that are being read or have not left the"
                  + " server; with TLS or GRPC up to 256 KiB of each reply are copied and count again."
                  + " Further fetches wait in turn. One application gets at most half, one connection"
                  + " an eighth, or one fetch. Raise it if fetches wait while memory is free.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.read.buffer.capacity.ratio")
          .defaultValue(0.2)
          .atLeast(0.001)
          .atMost(10.0)
          .doc(
              "Share of rss.server.buffer.capacity that rss.server.read.buffer.capacity is when"
                  + " it is -1. Raise it if fetches wait while memory is free.")
          .build();

  /** The keys that this record is made from, beside those of {@link DiskReadConfig}. */
  public static final List<ConfigKey<?>> KEYS = List.of(CAPACITY, CAPACITY_RATIO);

  /**
   * @param memoryBytes for blocks, of which the budget may be a share
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
