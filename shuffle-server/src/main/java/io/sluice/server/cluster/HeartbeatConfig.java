package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import java.util.List;

/**
 * Coordinators and timing of heartbeats.
 *
 * @param coordinators every coordinator of the quorum, at least one
 * @param intervalMs time between two heartbeats, unless a coordinator sets another
 * @param timeoutMs timeout of a reply
 */
public record HeartbeatConfig(List<HostPort> coordinators, long intervalMs, long timeoutMs) {
  private static final long TIMEOUT_MS = 5_000;

  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .required()
          .check(list -> !list.isEmpty(), "at least one host:port")
          .doc(
              "Coordinators of the cluster, as host:port,host:port, with an IPv6 address in"
                  + " brackets. The server sends heartbeats to each, and continues to work while"
                  + " some or all are down. List every coordinator.")
          .build();

  static final ConfigKey<Long> INTERVAL =
      ConfigKey.durationMs("rss.server.heartbeat.interval")
          .defaultValue(10_000L)
          .atLeast(100L)
          .atMost(300_000L)
          .doc(
              "Interval of heartbeats until a coordinator sets another"
                  + " (rss.coordinator.server.heartbeat.interval). Change that key, not this one.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(COORDINATORS, INTERVAL);

  public HeartbeatConfig {
    coordinators = List.copyOf(coordinators);
    if (coordinators.isEmpty()) {
      throw new IllegalArgumentException("at least one coordinator is required");
    }
  }

  public static HeartbeatConfig from(ConfigSet set) {
    return new HeartbeatConfig(
        set.get(COORDINATORS).stream().distinct().toList(), set.get(INTERVAL), TIMEOUT_MS);
  }
}
