package io.sluice.server.background;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Rate and interval of scrubbing.
 *
 * @param bytesPerSecond maximum rate of reads from one disk; 0: no scrubbing
 * @param intervalMs time between verifications of a file, and from its write to the first one
 */
public record ScrubConfig(long bytesPerSecond, long intervalMs) {
  /** 8 MiB/s is 28 GiB per hour: a few percent of the throughput of a hard disk. */
  public static final ScrubConfig DEFAULT = new ScrubConfig(8L << 20, 3_600_000);

  static final ConfigKey<Long> BANDWIDTH =
      ConfigKey.dataSize("rss.server.scrub.bandwidth")
          .defaultValue(DEFAULT.bytesPerSecond())
          .atLeast(0L)
          .doc(
              "Maximum bytes per second read from each disk to verify checksums of run files, less"
                  + " while the disk is busy; 0 disables verification. Raise it if shuffles are"
                  + " kept for days.")
          .build();

  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.server.scrub.interval")
          .defaultValue(DEFAULT.intervalMs())
          .atLeast(1_000L)
          .doc(
              "Minimum time between two checksum verifications of a run file, and from its write"
                  + " to the first one; rss.server.scrub.bandwidth may delay it. Raise it if disks"
                  + " are reliable and busy.")
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
