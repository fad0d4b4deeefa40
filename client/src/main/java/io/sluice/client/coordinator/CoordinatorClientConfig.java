package io.sluice.client.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How coordinators are asked.
 *
 * @param quorum the coordinators, any of which will do; empty: there is none
 * @param callTimeoutMs for one call to one of them
 * @param patienceMs for all tries of one question together
 * @param replicas copies of every partition
 * @param maxServers most servers for one shuffle; 0: the coordinator's own limit
 * @param requiredTags only servers that carry all of them
 * @param unregisterTimeoutMs for telling servers and coordinators to forget something
 * @param servedSettings whether a driver asks what the operator wants jobs to be configured with
 */
public record CoordinatorClientConfig(
    List<HostPort> quorum,
    long callTimeoutMs,
    long patienceMs,
    int replicas,
    int maxServers,
    List<String> requiredTags,
    long unregisterTimeoutMs,
    boolean servedSettings) {
  static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .doc(
              "The coordinators, any of which will do. Without it jobs use their engine's own"
                  + " shuffle.")
          .build();

  static final ConfigKey<Long> COORDINATOR_PATIENCE =
      ConfigKey.durationMs("rss.access.timeout.ms")
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(3_600_000L)
          .doc(
              "How long a driver looks for a coordinator that answers before a shuffle goes to the"
                  + " engine's own.")
          .build();

  static final ConfigKey<Boolean> SERVED_SETTINGS =
      ConfigKey.bool("rss.dynamicClientConf.enabled")
          .defaultValue(true)
          .doc(
              "Whether the driver asks a coordinator for settings of the operator. What the job says itself holds, unless the operator has forced a setting.")
          .build();

  static final ConfigKey<List<String>> TAGS =
      ConfigKey.strings("rss.client.assignment.tags")
          .doc("Use only servers that carry all these tags.")
          .build();

  static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.client.assignment.shuffle.nodes.max")
          .defaultValue(-1)
          .atLeast(1)
          .alsoAllow(-1, "as many as the coordinator gives")
          .alsoAllow(0, "as many as the coordinator gives")
          .doc("Most servers that one shuffle is spread over.")
          .build();

  public static final ConfigKey<Integer> REPLICAS =
      ConfigKey.integer("rss.data.replica")
          .defaultValue(1)
          .atLeast(1)
          .atMost(16)
          .doc("Copies of every partition, on distinct hosts where possible.")
          .build();

  static final ConfigKey<Long> UNREGISTER_TIMEOUT =
      ConfigKey.durationMs("rss.client.unregister.request.timeout.sec", TimeUnit.SECONDS)
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(600_000L)
          .doc("How long telling servers and coordinators to forget something may take.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      List.of(
          COORDINATORS,
          COORDINATOR_PATIENCE,
          SERVED_SETTINGS,
          TAGS,
          NODES_MAX,
          REPLICAS,
          UNREGISTER_TIMEOUT);

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
        set.get(UNREGISTER_TIMEOUT),
        set.get(SERVED_SETTINGS));
  }

  /** The same with less time for one call. */
  CoordinatorClientConfig callingFor(long timeoutMs) {
    return new CoordinatorClientConfig(
        quorum,
        timeoutMs,
        patienceMs,
        replicas,
        maxServers,
        requiredTags,
        unregisterTimeoutMs,
        servedSettings);
  }
}
