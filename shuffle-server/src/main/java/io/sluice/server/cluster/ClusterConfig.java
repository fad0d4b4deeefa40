package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
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
  static final ConfigKey<Long> APPLICATION_EXPIRED =
      ConfigKey.durationMs("rss.server.app.expired.withoutHeartbeat")
          .defaultValue(60_000L)
          .atLeast(1_000L)
          .doc(
              "How long the server keeps an application without a lease from any coordinator. The"
                  + " time counts only while a coordinator answers, and a longer lease of a coordinator"
                  + " wins. Raise it if drivers pause for longer.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.server.tags")
          .defaultValue(List.of())
          .reloadable()
          .doc(
              "Tags of the server. A job that requires tags gets only servers that carry them"
                  + " all. Set it to reserve servers, or to mark fast disks.")
          .build();

  static final ConfigKey<Long> DECOMMISSION_CHECK =
      ConfigKey.durationMs("rss.server.decommission.check.interval")
          .defaultValue(60_000L)
          .atLeast(100L)
          .atMost(3_600_000L)
          .doc(
              "How often a decommissioned server checks whether it still holds a shuffle; it ends"
                  + " after two checks without one. Lower it if shuffles are short.")
          .build();

  /** The keys that this record is made from, beside those of its parts. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(APPLICATION_EXPIRED, TAGS, DECOMMISSION_CHECK);

  public ClusterConfig {
    tags = List.copyOf(tags);
  }

  public static ClusterConfig from(ConfigSet set) {
    return new ClusterConfig(
        HeartbeatConfig.from(set),
        set.get(APPLICATION_EXPIRED),
        set.get(TAGS),
        set.get(DECOMMISSION_CHECK),
        MoveConfig.from(set));
  }
}
