package io.sluice.server.background;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How much is verified, and how often.
 *
 * @param bytesPerSecond most that is read of one disk; 0: nothing is verified
 * @param intervalMs from one verification of a file to the next, and from its writing to the first
 */
public record ScrubConfig(long bytesPerSecond, long intervalMs) {
  /** At 8 MiB/s, 28 GiB an hour: a few percent of what a hard disk reads. */
  public static final ScrubConfig DEFAULT = new ScrubConfig(8L << 20, 3_600_000);

  static final ConfigKey<Long> BANDWIDTH =
      ConfigKey.dataSize("rss.server.scrub.bandwidth")
          .defaultValue(DEFAULT.bytesPerSecond())
          .atLeast(0L)
          .doc(
              "Maximum bytes per second that are read from each disk to verify checksums of run"
                  + " files, less while the disk is busy; 0: none. Raise it if shuffles live for days.")
          .build();

  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.server.scrub.interval")
          .defaultValue(DEFAULT.intervalMs())
          .atLeast(1_000L)
          .doc(
              "Time from the writing of a run file to its first verification, and from one to the"
                  + " next, as far as rss.server.scrub.bandwidth allows. Raise it if disks are reliable"
                  + " and busy.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(BANDWIDTH, INTERVAL);

  public ScrubConfig {
    if (bytesPerSecond < 0 || intervalMs < 1) {
      throw new IllegalArgumentException(
          "scrub bandwidth must not be negative, its interval at least 1 ms: "
              + bytesPerSecond
              + ", "
              + intervalMs);
    }
  }

  public static ScrubConfig from(ConfigSet set) {
    return new ScrubConfig(set.get(BANDWIDTH), set.get(INTERVAL));
  }

  public boolean isOn() {
    return bytesPerSecond > 0;
  }
}
