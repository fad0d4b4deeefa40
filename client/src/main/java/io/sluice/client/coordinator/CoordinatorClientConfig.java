package io.sluice.client.coordinator;

import io.sluice.common.config.HostPort;
import java.util.List;

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
  public CoordinatorClientConfig {
    quorum = List.copyOf(quorum);
    requiredTags = List.copyOf(requiredTags);
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
