package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.ZoneText;
import java.util.List;

/**
 * Configuration of the server's membership in the cluster.
 *
 * @param minLeaseMs time for which an application is kept without a lease of any coordinator; a
 *     longer lease takes precedence
 * @param decommissionCheckMs interval of checks whether a decommissioned server is empty
 * @param move limits for moves of data from a decommissioned server
 * @param tags tags of the server, for jobs that require tags
 * @param zone zone of the server; empty: not known
 * @param termination how the end of the machine is announced
 */
public record ClusterConfig(
    HeartbeatConfig heartbeat,
    long minLeaseMs,
    List<String> tags,
    String zone,
    long decommissionCheckMs,
    MoveConfig move,
    TerminationNotice.Config termination) {
  static final ConfigKey<Long> APPLICATION_EXPIRED =
      ConfigKey.durationMs("rss.server.app.expired.withoutHeartbeat")
          .defaultValue(60_000L)
          .atLeast(1_000L)
          .doc(
              "Time for which the server keeps an application without a lease from any"
                  + " coordinator. It counts only while a coordinator answers, and a longer lease"
                  + " takes precedence. Raise it if drivers pause for longer.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.server.tags")
          .defaultValue(List.of())
          .reloadable()
          .doc(
              "Tags of the server. Jobs that require tags are assigned only servers that have all"
                  + " of these tags. Set it to reserve servers, or to mark fast disks.")
          .build();

  static final ConfigKey<String> ZONE =
      ConfigKey.string("rss.server.zone")
          .defaultText("the environment variable RSS_ZONE, else none")
          .check(ZoneText::isName, ZoneText.EXPECTED)
          .doc(
              "Zone of the server: an availability zone, a data center or a rack. Replicas of a"
                  + " partition are in distinct zones where possible, and readers prefer servers of"
                  + " their zone (spark.rss.client.zone). Set it on all servers if the network"
                  + " between zones is slow or costs money, or if zones fail as a whole.")
          .build();

  static final ConfigKey<Long> DECOMMISSION_CHECK =
      ConfigKey.durationMs("rss.server.decommission.check.interval")
          .defaultValue(60_000L)
          .atLeast(100L)
          .atMost(3_600_000L)
          .doc(
              "Interval at which a decommissioned server checks whether it still stores a shuffle;"
                  + " it exits after two checks without one. Lower it if shuffles are short.")
          .build();

  /** The keys that this record is made from, in addition to those of its components. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(APPLICATION_EXPIRED, TAGS, ZONE, DECOMMISSION_CHECK);

  public ClusterConfig {
    tags = List.copyOf(tags);
  }

  public static ClusterConfig from(ConfigSet set) {
    return new ClusterConfig(
        HeartbeatConfig.from(set),
        set.get(APPLICATION_EXPIRED),
        set.get(TAGS),
        ZoneText.of(set.find(ZONE), System.getenv(ZoneText.ENVIRONMENT)),
        set.get(DECOMMISSION_CHECK),
        MoveConfig.from(set),
        TerminationNotice.Config.from(set));
  }
}
