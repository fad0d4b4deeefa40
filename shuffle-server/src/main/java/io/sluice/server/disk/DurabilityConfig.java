package io.sluice.server.disk;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
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
              "Which run files survive a crash of the machine or a power loss; a crash of the"
                  + " server alone, kill -9 included, loses none. NEVER: those that the system has"
                  + " written by chance. RUN: all, each spill waits for its disk. INTERVAL: those older"
                  + " than rss.server.fsync.interval. Change it if recomputing a shuffle costs more"
                  + " than slower spills.")
          .build();

  static final ConfigKey<Long> FSYNC_INTERVAL =
      ConfigKey.durationMs("rss.server.fsync.interval")
          .defaultValue(5_000L)
          .atLeast(10L)
          .atMost(3_600_000L)
          .doc(
              "How often run files are synced with INTERVAL in rss.server.fsync. Lower it to lose"
                  + " less at a power loss.")
          .build();

  static final ConfigKey<Long> RECOVERY_TIMEOUT =
      ConfigKey.durationMs("rss.server.recovery.timeout")
          .defaultValue(600_000L)
          .atLeast(1_000L)
          .atMost(86_400_000L)
          .doc(
              "How long a start may read the run files of the process before. A directory that is"
                  + " not read by then counts as lost until the next start. Raise it for servers with"
                  + " millions of runs.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(FSYNC, FSYNC_INTERVAL, RECOVERY_TIMEOUT);

  public static DurabilityConfig from(ConfigSet set) {
    return new DurabilityConfig(set.get(FSYNC), set.get(FSYNC_INTERVAL), set.get(RECOVERY_TIMEOUT));
  }
}
