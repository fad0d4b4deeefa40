package io.sluice.client.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.ZoneText;
import java.util.List;

/**
 * Settings of requests to coordinators.
 *
 * @param quorum addresses of the coordinators, any of which is used; empty: none
 * @param callTimeoutMs timeout of one call to one coordinator
 * @param retryPeriodMs retry period of one request
 * @param startConnectMs retry period of one request at the start, if no coordinator is connected
 * @param startMs retry period of one request at the start, if a coordinator is connected
 * @param replicas number of replicas of every partition
 * @param maxServers maximum number of servers of one shuffle; 0: the limit of the coordinator
 * @param requiredTags tags that every server of a shuffle must have
 * @param preferredZone zone whose servers are used if one of them accepts the shuffle; empty: all
 * @param servedSettings whether a driver gets settings of the operator from a coordinator
 */
public record CoordinatorClientConfig(
    List<HostPort> quorum,
    long callTimeoutMs,
    long retryPeriodMs,
    long startConnectMs,
    long startMs,
    int replicas,
    int maxServers,
    List<String> requiredTags,
    String preferredZone,
    boolean servedSettings) {
  /**
   * Time to connect to a coordinator when an application starts, and to get the settings of the
   * operator; a tenth of the time of a running application if that is more.
   */
  static final long START_CONNECT_MS = 1_000;

  /**
   * Time of all waits for coordinators when an application starts: for the settings of the
   * operator, and then for its registration, such as during an election; a fifth of the time of a
   * running application if that is more.
   */
  static final long START_MS = 2_000;

  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .doc(
              "Addresses of the coordinators, as host:port,host:port, with an IPv6 address in"
                  + " brackets; any coordinator that replies is used. Without this key, a job uses"
                  + " the built-in shuffle of its engine. Set it in every job that uses Sluice.")
          .build();

  static final ConfigKey<Long> COORDINATOR_TIMEOUT =
      ConfigKey.durationMs("rss.access.timeout.ms")
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(3_600_000L)
          .doc(
              "Time for which the driver of a running application tries to reach a coordinator"
                  + " before a shuffle falls back to the built-in shuffle. It waits once; later"
                  + " shuffles do not wait until a coordinator answers again. The start of an"
                  + " application waits for a fifth of it at most, and for a connection a tenth,"
                  + " but 2 s and 1 s if that is more, and never longer than it. Lower it if jobs"
                  + " must wait less while all coordinators are down; raise it if drivers start on"
                  + " overloaded machines.")
          .build();

  static final ConfigKey<Boolean> SERVED_SETTINGS =
      ConfigKey.bool("rss.dynamicClientConf.enabled")
          .defaultValue(true)
          .doc(
              "Whether the driver applies settings of the operator, which a coordinator serves."
                  + " Settings of the job take precedence, unless the operator forces a setting."
                  + " Set it to `false` to compare a job with and without them.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.client.assignment.tags")
          .doc(
              "Tags that every server of this job must have, comma-separated. Set it if some"
                  + " servers are reserved for certain jobs, or have other disks.")
          .build();

  /** Also read by the settings of reads. */
  public static final ConfigKey<String> ZONE =
      ConfigKey.string("rss.client.zone")
          .defaultText("the environment variable RSS_ZONE of the process, else none")
          .check(ZoneText::isName, ZoneText.EXPECTED)
          .doc(
              "Zone of the process, as in rss.server.zone of the servers. Tasks read replicas in"
                  + " their zone first. Set it if all processes of the job run in one zone;"
                  + " otherwise set RSS_ZONE in the environment of each process.")
          .build();

  /** Which servers a shuffle uses if servers are in several zones. */
  public enum ZoneStrategy {
    /** Servers of all zones; replicas of a partition in distinct zones. */
    SPREAD,
    /** Servers of the zone of the driver, if one of them accepts the shuffle. */
    SAME
  }

  static final ConfigKey<ZoneStrategy> ZONE_STRATEGY =
      ConfigKey.enumeration("rss.client.assignment.zone.strategy", ZoneStrategy.class)
          .defaultValue(ZoneStrategy.SPREAD)
          .doc(
              "Zones of the servers of a shuffle. `SPREAD`: all zones, with the replicas of a"
                  + " partition in distinct zones where possible. `SAME`: the zone of the driver"
                  + " (rss.client.zone), or all zones if none of its servers accepts the shuffle."
                  + " Set `SAME` if all executors run in one zone and traffic between zones costs"
                  + " money; the loss of that zone then loses the shuffle.")
          .build();

  static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.client.assignment.shuffle.nodes.max")
          .defaultValue(-1)
          .atLeast(1)
          .alsoAllow(-1, "the limit of the coordinator")
          .alsoAllow(0, "the limit of the coordinator")
          .doc(
              "Maximum number of servers of one shuffle, within the limit of the coordinator."
                  + " Lower it for jobs of thousands of small shuffles, to save connections.")
          .build();

  public static final ConfigKey<Integer> REPLICAS =
      ConfigKey.integer("rss.data.replica")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .doc(
              "Number of replicas of each partition, on distinct hosts where possible. Set it to"
                  + " 2 if the loss of a server must not rerun map tasks; pushes then need twice"
                  + " the network bandwidth.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      List.of(
          COORDINATORS,
          COORDINATOR_TIMEOUT,
          SERVED_SETTINGS,
          TAGS,
          ZONE,
          ZONE_STRATEGY,
          NODES_MAX,
          REPLICAS);

  public CoordinatorClientConfig {
    quorum = List.copyOf(quorum);
    requiredTags = List.copyOf(requiredTags);
  }

  /**
   * @param requestTimeoutMs timeout of one request to a server, which is the maximum for a
   *     coordinator too
   * @param zone zone of this process; empty: not known
   */
  public static CoordinatorClientConfig from(ConfigSet set, long requestTimeoutMs, String zone) {
    long timeoutMs = set.get(COORDINATOR_TIMEOUT);
    return new CoordinatorClientConfig(
        set.find(COORDINATORS).orElse(List.of()),
        Math.min(requestTimeoutMs, Math.max(1, timeoutMs / 2)),
        timeoutMs,
        Math.max(START_CONNECT_MS, timeoutMs / 10),
        Math.max(START_MS, timeoutMs / 5),
        set.get(REPLICAS),
        Math.max(0, set.get(NODES_MAX)),
        set.find(TAGS).orElse(List.of()),
        set.get(ZONE_STRATEGY) == ZoneStrategy.SAME ? zone : "",
        set.get(SERVED_SETTINGS));
  }

  /** Returns a copy for an application that has waited for coordinators already. */
  public CoordinatorClientConfig afterWaiting(long milliseconds) {
    return withStart(Math.max(0, startMs - milliseconds));
  }

  /** Returns a copy with at most this time for the first requests of an application. */
  CoordinatorClientConfig withStart(long milliseconds) {
    return new CoordinatorClientConfig(
        quorum,
        callTimeoutMs,
        retryPeriodMs,
        Math.min(startConnectMs, milliseconds),
        Math.min(startMs, milliseconds),
        replicas,
        maxServers,
        requiredTags,
        preferredZone,
        servedSettings);
  }

  /**
   * Retry period of the first requests of an application.
   *
   * @param connected whether a coordinator is connected
   */
  long startPeriodMs(boolean connected) {
    return Math.min(retryPeriodMs, connected ? startMs : startConnectMs);
  }
}
