package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.disk.Fsync;
import java.util.List;

/**
 * What of the run files outlives what, and how long a start may take to find it.
 *
 * @param fsyncIntervalMs for {@link Fsync#INTERVAL}
 * @param recoveryTimeoutMs how long a start may look through the directories
 */
public record DurabilityConfig(Fsync fsync, long fsyncIntervalMs, long recoveryTimeoutMs) {
  static final ConfigKey<Fsync> FSYNC =
      ConfigKey.enumeration("rss.server.fsync", Fsync.class)
          .defaultValue(Fsync.NEVER)
          .doc(
              "What of the run files outlives a crash of the machine or a power loss; a crash of the"
                  + " server alone, kill -9 included, costs none of them in any case. NEVER: what the"
                  + " system happens to have written. RUN: every run, each spill waits for its disk."
                  + " INTERVAL: runs older than rss.server.fsync.interval.")
          .build();

  static final ConfigKey<Long> FSYNC_INTERVAL =
      ConfigKey.durationMs("rss.server.fsync.interval")
          .defaultValue(5_000L)
          .atLeast(10L)
          .atMost(3_600_000L)
          .doc("How often run files are synced when rss.server.fsync is INTERVAL.")
          .build();

  static final ConfigKey<Long> RECOVERY_TIMEOUT =
      ConfigKey.durationMs("rss.server.recovery.timeout")
          .defaultValue(600_000L)
          .atLeast(1_000L)
          .atMost(86_400_000L)
          .doc(
              "How long a start may take to look through the run files of the life before. A"
                  + " directory that is not ready then counts as lost until the next start.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(FSYNC, FSYNC_INTERVAL, RECOVERY_TIMEOUT);

  public static DurabilityConfig from(ConfigSet set) {
    return new DurabilityConfig(set.get(FSYNC), set.get(FSYNC_INTERVAL), set.get(RECOVERY_TIMEOUT));
  }
}
