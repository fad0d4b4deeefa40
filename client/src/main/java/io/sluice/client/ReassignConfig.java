package io.sluice.client;

/**
 * How a shuffle goes on when a server fails or a partition grows too large for it.
 *
 * @param maxServers most servers that a shuffle gets in addition to its first; 0: none
 */
public record ReassignConfig(int maxServers) {
  public ReassignConfig {
    if (maxServers < 0) {
      throw new IllegalArgumentException(
          "further servers: expected at least 0, found " + maxServers);
    }
  }
}
