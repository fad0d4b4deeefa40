package io.sluice.metrics;

import io.sluice.common.net.PeerConnections;

/** The metrics of the connections to a port that bounds them. */
public final class PortConnections {
  private PortConnections() {}

  /**
   * The table of a port.
   *
   * @param prefix of the component and the port, such as {@code sluice_coordinator_http_}
   * @param port what it speaks, for people
   */
  public static MetricTable<PeerConnections> table(String prefix, String port) {
    return MetricTable.<PeerConnections>of(prefix)
        .gauge("connections", "Open connections to the " + port + " port", PeerConnections::open)
        .counter(
            "connections_refused_total",
            "Connections to the " + port + " port closed because there were too many",
            PeerConnections::refused)
        .counter(
            "peer_connections_refused_total",
            "Connections to the "
                + port
                + " port closed because there were too many from their address",
            PeerConnections::refusedPeers)
        .build();
  }
}
