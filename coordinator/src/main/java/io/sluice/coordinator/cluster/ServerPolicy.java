package io.sluice.coordinator.cluster;

/**
 * The operator's rules about servers.
 *
 * @param lostAfterMs silence after which a server is lost
 * @param heartbeatIntervalMs how often servers are asked to report
 * @param forgetAfterMs silence after which a lost server is no longer listed
 * @param maxServers most servers that are known at a time
 * @param startupSilenceMs how long after its start the coordinator assigns nothing, to hear from
 *     all servers first; 0: assign at once
 */
public record ServerPolicy(
    long lostAfterMs,
    long heartbeatIntervalMs,
    long forgetAfterMs,
    int maxServers,
    long startupSilenceMs) {
  public ServerPolicy {
    if (heartbeatIntervalMs >= lostAfterMs) {
      throw new IllegalArgumentException(
          "a server that reports every "
              + heartbeatIntervalMs
              + " ms cannot be lost after a silence of "
              + lostAfterMs
              + " ms: expected a longer silence");
    }
  }

  /** The same with another silence. */
  public ServerPolicy lostAfter(long silenceMs) {
    return new ServerPolicy(
        silenceMs, heartbeatIntervalMs, forgetAfterMs, maxServers, startupSilenceMs);
  }
}
