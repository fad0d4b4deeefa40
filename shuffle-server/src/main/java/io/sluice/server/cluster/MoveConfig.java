package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How much a move may take of a server that still serves.
 *
 * @param copies shuffles that are copied at the same time; each holds one frame in memory
 * @param bytesPerSecond of all copies together; 0: no bound
 */
public record MoveConfig(int copies, long bytesPerSecond) {
  /** Most bytes that are read and sent at once. */
  static final int FRAME_BYTES = 2 << 20;

  static final ConfigKey<Integer> CONCURRENCY =
      ConfigKey.integer("rss.server.decommission.move.concurrency")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Shuffles that a server decommissioned with --move copies at a time; each takes one"
                  + " frame of 2 MiB of memory. Raise it if servers hold thousands of small shuffles.")
          .build();

  static final ConfigKey<Long> RATE =
      ConfigKey.dataSize("rss.server.decommission.move.rate")
          .defaultValue(200L << 20)
          .atLeast(0L)
          .doc(
              "Maximum bytes per second of all copies of a server decommissioned with --move; 0:"
                  + " no limit. Raise it to leave sooner, at the cost of the jobs that it serves.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(CONCURRENCY, RATE);

  public static MoveConfig from(ConfigSet set) {
    return new MoveConfig(set.get(CONCURRENCY), set.get(RATE));
  }
}
