package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.background.ScrubConfig;
import java.util.List;

/** The keys of verifying run files that nobody reads. */
public final class ScrubLimits {
  static final ConfigKey<Long> BANDWIDTH =
      ConfigKey.dataSize("rss.server.scrub.bandwidth")
          .defaultValue(ScrubConfig.DEFAULT.bytesPerSecond())
          .atLeast(0L)
          .doc(
              "Most bytes a second that are read from each disk to verify the checksums of run files;"
                  + " less while the disk is used otherwise. 0 verifies nothing in the background.")
          .build();

  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.server.scrub.interval")
          .defaultValue(ScrubConfig.DEFAULT.intervalMs())
          .atLeast(1_000L)
          .doc(
              "From the writing of a run file to its first verification, and from each to the next,"
                  + " as far as the bandwidth allows.")
          .build();

  /** The keys of this class. */
  public static final List<ConfigKey<?>> KEYS = List.of(BANDWIDTH, INTERVAL);

  private ScrubLimits() {}

  public static ScrubConfig from(ConfigSet set) {
    return new ScrubConfig(set.get(BANDWIDTH), set.get(INTERVAL));
  }
}
