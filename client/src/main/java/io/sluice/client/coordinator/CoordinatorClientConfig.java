package io.sluice.client.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import java.util.List;

/**
 * How coordinators are asked.
 *
 * @param quorum the coordinators, any of which will do; empty: there is none
 * @param callTimeoutMs for one call to one of them
 * @param retryPeriodMs for all tries of one question together
 * @param replicas copies of every partition
 * @param maxServers most servers for one shuffle; 0: the coordinator's own limit
 * @param requiredTags only servers that carry all of them
 * @param servedSettings whether a driver asks what the operator wants jobs to be configured with
 */
public record CoordinatorClientConfig(
    List<HostPort> quorum,
    long callTimeoutMs,
    long retryPeriodMs,
    int replicas,
    int maxServers,
    List<String> requiredTags,
    boolean servedSettings) {
  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .doc(
              "Coordinators of the cluster; any that answers is used. Without it jobs use their"
                  + " engine's own shuffle. Set it in every job that is to use Sluice.")
          .build();

  static final ConfigKey<Long> COORDINATOR_PATIENCE =
      ConfigKey.durationMs("rss.access.timeout.ms")
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(3_600_000L)
          .doc(
              "How long a driver looks for a coordinator that answers; then the shuffle uses the"
                  + " engine's own. Lower it if jobs must not wait while all coordinators are down.")
          .build();

  static final ConfigKey<Boolean> SERVED_SETTINGS =
      ConfigKey.bool("rss.dynamicClientConf.enabled")
          .defaultValue(true)
          .doc(
              "Whether the driver asks a coordinator for settings of the operator. Settings of"
                  + " the job win, unless the operator forces one. Set it to `false` to compare a job"
                  + " with and without them.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.client.assignment.tags")
          .doc(
              "Tags that a server must all carry to get partitions of this job. Set it where some"
                  + " servers are reserved, or have other disks.")
          .build();

  static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.client.assignment.shuffle.nodes.max")
          .defaultValue(-1)
          .atLeast(1)
          .alsoAllow(-1, "as many as the coordinator gives")
          .alsoAllow(0, "as many as the coordinator gives")
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
                  + " 2 if the loss of a server must not rerun map tasks; pushes then cost twice the"
                  + " network.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      List.of(COORDINATORS, COORDINATOR_PATIENCE, SERVED_SETTINGS, TAGS, NODES_MAX, REPLICAS);

  public CoordinatorClientConfig {
    quorum = List.copyOf(quorum);
    requiredTags = List.copyOf(requiredTags);
  }

  /**
   * @param requestTimeoutMs for one request to a server, which a call to a coordinator does not
   *     exceed either
   */
  public static CoordinatorClientConfig from(ConfigSet set, long requestTimeoutMs) {
    return new CoordinatorClientConfig(
        set.find(COORDINATORS).orElse(List.of()),
        Math.min(requestTimeoutMs, Math.max(1, set.get(COORDINATOR_PATIENCE) / 2)),
        set.get(COORDINATOR_PATIENCE),
        set.get(REPLICAS),
        Math.max(0, set.get(NODES_MAX)),
        set.find(TAGS).orElse(List.of()),
        set.get(SERVED_SETTINGS));
  }

  /** The same with less time for one call. */
  CoordinatorClientConfig callingFor(long timeoutMs) {
    return new CoordinatorClientConfig(
        quorum, timeoutMs, retryPeriodMs, replicas, maxServers, requiredTags, servedSettings);
  }
}
