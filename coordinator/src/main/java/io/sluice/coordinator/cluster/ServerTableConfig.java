package io.sluice.coordinator.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Heartbeat interval and timeouts of servers.
 *
 * @param lostAfterMs time without a heartbeat after which a server is lost
 * @param heartbeatIntervalMs interval of heartbeats
 * @param forgetAfterMs time without a heartbeat after which a lost server is no longer listed
 * @param maxServers maximum number of known servers
 * @param startupSilenceMs time after the start in which the coordinator collects heartbeats and
 *     assigns no shuffles; 0: assign at once
 */
public record ServerTableConfig(
    long lostAfterMs,
    long heartbeatIntervalMs,
    long forgetAfterMs,
    int maxServers,
    long startupSilenceMs) {
  /** Bounds the table, in case a client reports fake servers. */
  private static final int MAX_SERVERS = 10_000;

  static final ConfigKey<Long> LOST_AFTER =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.timeout")
          .defaultValue(30_000L)
          .atLeast(100L)
          .reloadable()
          .doc(
              "Time without a heartbeat after which a server is lost and gets no new shuffles."
                  + " After a reload, a lower value takes effect once the old time has passed."
                  + " Raise it if running servers with busy disks are reported lost.")
          .build();
  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.interval")
          .defaultValue(5_000L)
          .atLeast(10L)
          .reloadable()
          .doc(
              "Interval of the heartbeats of servers; must be less than"
                  + " rss.coordinator.server.heartbeat.timeout, preferably a sixth of it. Raise"
                  + " it in clusters of thousands of servers to save CPU time of the coordinator.")
          .build();
  static final ConfigKey<Long> FORGET_AFTER =
      ConfigKey.durationMs("rss.coordinator.server.forget.after")
          .defaultValue(3_600_000L)
          .reloadable()
          .doc(
              "Time without a heartbeat after which a lost server is no longer listed. Raise it"
                  + " if operators must see servers that were lost overnight; lower it if"
                  + " restarted servers get new names.")
          .build();
  static final ConfigKey<Boolean> SILENT_ENABLED =
      ConfigKey.bool("rss.coordinator.startup-silent-period.enabled")
          .defaultValue(false)
          .doc(
              "Whether the coordinator collects heartbeats after its start before it assigns"
                  + " shuffles. Set it in clusters of more than a few servers: otherwise the"
                  + " first shuffles are all assigned to the servers that report first.")
          .build();
  static final ConfigKey<Long> SILENT_DURATION =
      ConfigKey.durationMs("rss.coordinator.startup-silent-period.duration")
          .defaultValue(20_000L)
          .atLeast(0L)
          .doc(
              "Time after its start in which the coordinator assigns no shuffles, if"
                  + " rss.coordinator.startup-silent-period.enabled is true. Change it with"
                  + " rss.coordinator.server.heartbeat.interval: four intervals are enough.")
          .build();

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(LOST_AFTER, INTERVAL, FORGET_AFTER, SILENT_ENABLED, SILENT_DURATION);

  public ServerTableConfig {
    if (heartbeatIntervalMs >= lostAfterMs) {
      throw new IllegalArgumentException(
          LOST_AFTER.name()
              + ": expected more than "
              + INTERVAL.name()
              + " ("
              + heartbeatIntervalMs
              + " ms), found "
              + lostAfterMs
              + " ms");
    }
  }

  /**
   * @throws IllegalArgumentException if values contradict each other; the message is one line
   */
  public static ServerTableConfig from(ConfigSet set) {
    return new ServerTableConfig(
        set.get(LOST_AFTER),
        set.get(INTERVAL),
        set.get(FORGET_AFTER),
        MAX_SERVERS,
        set.get(SILENT_ENABLED) ? set.get(SILENT_DURATION) : 0);
  }

  /** Returns this configuration with another heartbeat timeout. */
  public ServerTableConfig withLostAfter(long otherLostAfterMs) {
    return new ServerTableConfig(
        otherLostAfterMs, heartbeatIntervalMs, forgetAfterMs, maxServers, startupSilenceMs);
  }
}
