package io.sluice.server;

import io.sluice.common.net.PeerConnections;

/**
 * Configuration of the HTTP port.
 *
 * @param port TCP port; 0: any free port
 * @param maxConnections maximum number of open connections
 * @param maxConnectionsPerPeer maximum number of open connections from one client address
 */
public record HttpPortConfig(int port, int maxConnections, int maxConnectionsPerPeer) {
  /** Counts and limits the connections to the port. */
  PeerConnections connections() {
    return new PeerConnections(
        maxConnections,
        maxConnectionsPerPeer,
        NetworkConfig.MAX_HTTP_CONNECTIONS.name(),
        NetworkConfig.MAX_HTTP_CONNECTIONS_PER_PEER.name());
  }
}
