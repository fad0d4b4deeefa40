package io.sluice.server;

/**
 * Configuration of the HTTP port.
 *
 * @param port TCP port; 0: any free port
 * @param maxConnections maximum number of open connections
 * @param maxConnectionsPerPeer maximum number of open connections from one client address
 */
public record HttpPortConfig(int port, int maxConnections, int maxConnectionsPerPeer) {}
