package io.sluice.server;

/**
 * The HTTP port.
 *
 * @param port 0: any free one
 * @param maxConnections maximum number of open connections
 * @param maxConnectionsPerPeer maximum number of open connections from one address
 */
public record HttpPortConfig(int port, int maxConnections, int maxConnectionsPerPeer) {}
