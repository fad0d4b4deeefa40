package io.sluice.coordinator.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * When a server counts as lost.
 *
 * @param lostAfterMs silence after which a server is lost
 * @param heartbeatIntervalMs how often servers are asked to report
 * @param forgetAfterMs silence after which a lost server is no longer listed
 * @param maxServers most servers that are known at a time
 * @param startupSilenceMs how long after its start the coordinator assigns nothing, to hear from
 *     all servers first; 0: assign at once
 */
public record ServerTableConfig(
    long lostAfterMs,
    long heartbeatIntervalMs,
    long forgetAfterMs,
    int maxServers,
    long startupSilenceMs) {
  /** Bounds the table against callers that report invented servers. */
  private static final int MAX_SERVERS = 10_000;

  static final ConfigKey<Long> LOST_AFTER =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.timeout")
          .defaultValue(30_000L)
          .atLeast(100L)
          .reloadable()
          .doc(
              "Silence after which a server counts as lost and gets no new shuffles. A lower value"
                  + " takes effect once the old one has passed. Raise it if servers with busy disks"
                  + " are reported lost while they run.")
          .build();
  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.interval")
          .defaultValue(5_000L)
          .atLeast(10L)
          .reloadable()
          .doc(
              "Interval of the heartbeats of servers; less than"
                  + " rss.coordinator.server.heartbeat.timeout, best a sixth of it. Raise it beyond"
                  + " some thousand servers, to save CPU of the coordinator.")
          .build();
  static final ConfigKey<Long> FORGET_AFTER =
      ConfigKey.durationMs("rss.coordinator.server.forget.after")
          .defaultValue(3_600_000L)
          .reloadable()
          .doc(
              "Silence after which a lost server is no longer listed. Raise it if operators should"
                  + " still see in the morning what was lost in the night; lower it where servers"
                  + " come back with other names.")
          .build();
  static final ConfigKey<Boolean> SILENT_ENABLED =
      ConfigKey.bool("rss.coordinator.startup-silent-period.enabled")
          .defaultValue(false)
          .doc(
              "Whether the coordinator waits after its start before it assigns shuffles. Set it for"
                  + " more than a few servers: otherwise the first shuffles all go to the servers"
                  + " that reported first.")
          .build();
  static final ConfigKey<Long> SILENT_DURATION =
      ConfigKey.durationMs("rss.coordinator.startup-silent-period.duration")
          .defaultValue(20_000L)
          .atLeast(0L)
          .doc(
              "How long the coordinator waits with rss.coordinator.startup-silent-period.enabled."
                  + " Change it with rss.coordinator.server.heartbeat.interval: four heartbeats are"
                  + " enough.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(LOST_AFTER, INTERVAL, FORGET_AFTER, SILENT_ENABLED, SILENT_DURATION);

  public ServerTableConfig {
    if (heartbeatIntervalMs >= lostAfterMs) {
      throw new IllegalArgumentException(
          "a server that reports every "
              + heartbeatIntervalMs
              + " ms cannot be lost after a silence of "
              + lostAfterMs
              + " ms: expected a longer silence");
    }
  }

  /**
   * @throws IllegalArgumentException one line: values do not go together
   */
  public static ServerTableConfig from(ConfigSet set) {
    return new ServerTableConfig(
        set.get(LOST_AFTER),
        set.get(INTERVAL),
        set.get(FORGET_AFTER),
        MAX_SERVERS,
        set.get(SILENT_ENABLED) ? set.get(SILENT_DURATION) : 0);
  }

  /** The same with another silence. */
  public ServerTableConfig lostAfter(long silenceMs) {
    return new ServerTableConfig(
        silenceMs, heartbeatIntervalMs, forgetAfterMs, maxServers, startupSilenceMs);
  }
}
