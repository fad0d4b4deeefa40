package io.sluice.server.cluster;

import io.sluice.common.config.HostPort;
import java.util.List;

/**
 * Whom a server reports to, and how often.
 *
 * @param coordinators every coordinator of the quorum, at least one
 * @param intervalMs time between two heartbeats, unless a coordinator asks for another
 * @param timeoutMs how long to wait for an answer
 */
public record HeartbeatConfig(List<HostPort> coordinators, long intervalMs, long timeoutMs) {
  public HeartbeatConfig {
    coordinators = List.copyOf(coordinators);
    if (coordinators.isEmpty()) {
      throw new IllegalArgumentException("no coordinators");
    }
  }
}
