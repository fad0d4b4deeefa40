package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Limits of moves from a decommissioned server.
 *
 * @param copies maximum number of concurrent copies of shuffles; each uses one frame of memory
 * @param bytesPerSecond maximum rate of all copies together; 0: no limit
 */
public record MoveConfig(int copies, long bytesPerSecond) {
  /** Maximum bytes of one frame. */
  static final int FRAME_BYTES = 2 << 20;

  static final ConfigKey<Integer> CONCURRENCY =
      ConfigKey.integer("rss.server.decommission.move.concurrency")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Maximum number of shuffles that a server decommissioned with --move copies"
                  + " concurrently; each uses one frame of 2 MiB of memory. Raise it if servers"
                  + " store thousands of small shuffles.")
          .build();

  static final ConfigKey<Long> RATE =
      ConfigKey.dataSize("rss.server.decommission.move.rate")
          .defaultValue(200L << 20)
          .atLeast(0L)
          .doc(
              "Maximum bytes per second of all copies of a server decommissioned with --move; 0:"
                  + " no limit. Raise it to exit sooner, at the cost of running jobs.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(CONCURRENCY, RATE);

  public static MoveConfig from(ConfigSet set) {
    return new MoveConfig(set.get(CONCURRENCY), set.get(RATE));
  }
}
