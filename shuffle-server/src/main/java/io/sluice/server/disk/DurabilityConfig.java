package io.sluice.server.disk;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Durability of run files, and the timeout of recovery at start.
 *
 * @param fsyncIntervalMs interval of syncs with {@link Fsync#INTERVAL}
 * @param recoveryTimeoutMs timeout of recovery at start
 */
public record DurabilityConfig(Fsync fsync, long fsyncIntervalMs, long recoveryTimeoutMs) {
  static final ConfigKey<Fsync> FSYNC =
      ConfigKey.enumeration("rss.server.fsync", Fsync.class)
          .defaultValue(Fsync.NEVER)
          .doc(
              "Policy for syncing run files, so that they survive a power loss or a crash of the"
                  + " machine; a crash of the server process loses none. NEVER: no sync; RUN: each"
                  + " spill waits until its run is on disk; INTERVAL: sync every"
                  + " rss.server.fsync.interval. Change it if recomputing a shuffle costs more"
                  + " than slower spills.")
          .build();

  static final ConfigKey<Long> FSYNC_INTERVAL =
      ConfigKey.durationMs("rss.server.fsync.interval")
          .defaultValue(5_000L)
          .atLeast(10L)
          .atMost(3_600_000L)
          .doc(
              "Interval of syncs of run files if rss.server.fsync is INTERVAL. Lower it to lose"
                  + " less data at a power loss.")
          .build();

  static final ConfigKey<Long> RECOVERY_TIMEOUT =
      ConfigKey.durationMs("rss.server.recovery.timeout")
          .defaultValue(600_000L)
          .atLeast(1_000L)
          .atMost(86_400_000L)
          .doc(
              "Timeout of reading the existing run files when the server starts. A directory that"
                  + " is not read by then counts as lost until the next start. Raise it for"
                  + " servers with millions of runs.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(FSYNC, FSYNC_INTERVAL, RECOVERY_TIMEOUT);

  public static DurabilityConfig from(ConfigSet set) {
    return new DurabilityConfig(set.get(FSYNC), set.get(FSYNC_INTERVAL), set.get(RECOVERY_TIMEOUT));
  }
}
