package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.server.cluster.HeartbeatConfig;
import io.sluice.server.cluster.MoveConfig;
import java.util.List;

/**
 * How the server takes part in its cluster.
 *
 * @param leastLeaseMs how long an application is kept that no coordinator calls alive; a longer
 *     lease of a coordinator counts in its stead
 * @param decommissionCheckMs how often a decommissioned server looks whether it is empty
 * @param move how much a decommissioned server may spend on handing on what it holds
 * @param tags what the server says it is, for assignments that demand it
 */
public record ClusterConfig(
    HeartbeatConfig heartbeat,
    long leastLeaseMs,
    List<String> tags,
    long decommissionCheckMs,
    MoveConfig move) {
  static final ConfigKey<List<HostPort>> COORDINATOR_QUORUM =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .required()
          .check(list -> !list.isEmpty(), "at least one host:port")
          .doc(
              "The coordinators, comma-separated. The server reports to each of them; it works on"
                  + " while some or all of them are down.")
          .build();

  static final ConfigKey<Long> HEARTBEAT_INTERVAL =
      ConfigKey.durationMs("rss.server.heartbeat.interval")
          .defaultValue(10_000L)
          .atLeast(100L)
          .atMost(300_000L)
          .doc("Time between two heartbeats, until a coordinator's reply asks for another.")
          .build();

  static final ConfigKey<Long> HEARTBEAT_TIMEOUT =
      ConfigKey.durationMs("rss.server.heartbeat.timeout")
          .defaultValue(5_000L)
          .atLeast(100L)
          .atMost(300_000L)
          .doc("How long to wait for a coordinator's answer to a heartbeat.")
          .build();

  static final ConfigKey<Long> APPLICATION_EXPIRED =
      ConfigKey.durationMs("rss.server.app.expired.withoutHeartbeat")
          .defaultValue(60_000L)
          .atLeast(1_000L)
          .doc(
              "How long an application is kept that no coordinator calls alive. The time counts"
                  + " only while a coordinator answers; a longer lease of a coordinator counts"
                  + " instead.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.server.tags")
          .defaultValue(List.of())
          .reloadable()
          .doc(
              "What the server says it is: only such servers are assigned to a job that asks for"
                  + " it.")
          .build();

  static final ConfigKey<Long> DECOMMISSION_CHECK =
      ConfigKey.durationMs("rss.server.decommission.check.interval")
          .defaultValue(60_000L)
          .atLeast(100L)
          .atMost(3_600_000L)
          .doc(
              "How often a decommissioned server looks whether it still holds a shuffle. It ends"
                  + " when it held none twice in a row.")
          .build();

  static final ConfigKey<Integer> MOVE_CONCURRENCY =
      ConfigKey.integer("rss.server.decommission.move.concurrency")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Shuffles that a server copies to others at the same time when it is decommissioned"
                  + " with --move. Each holds one frame of 2 MiB in memory.")
          .build();

  static final ConfigKey<Long> MOVE_RATE =
      ConfigKey.dataSize("rss.server.decommission.move.rate")
          .defaultValue(200L << 20)
          .atLeast(0L)
          .doc(
              "Most bytes per second that a server copies to others when it is decommissioned with"
                  + " --move, all copies together, so that it goes on serving; 0: no bound.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          COORDINATOR_QUORUM,
          HEARTBEAT_INTERVAL,
          HEARTBEAT_TIMEOUT,
          APPLICATION_EXPIRED,
          TAGS,
          DECOMMISSION_CHECK,
          MOVE_CONCURRENCY,
          MOVE_RATE);

  public ClusterConfig {
    tags = List.copyOf(tags);
  }

  public static ClusterConfig from(ConfigSet set) {
    return new ClusterConfig(
        new HeartbeatConfig(
            set.get(COORDINATOR_QUORUM).stream().distinct().toList(),
            set.get(HEARTBEAT_INTERVAL),
            set.get(HEARTBEAT_TIMEOUT)),
        set.get(APPLICATION_EXPIRED),
        set.get(TAGS),
        set.get(DECOMMISSION_CHECK),
        new MoveConfig(set.get(MOVE_CONCURRENCY), set.get(MOVE_RATE)));
  }
}
