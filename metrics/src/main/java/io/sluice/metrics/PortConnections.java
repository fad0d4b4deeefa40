package io.sluice.metrics;

import io.sluice.common.net.PeerConnections;

/** Metrics of the connections of a port with connection limits. */
public final class PortConnections {
  private PortConnections() {}

  /**
   * The table of a port.
   *
   * @param prefix prefix of the component and the port, such as {@code sluice_coordinator_http_}
   * @param port name of the port for descriptions
   */
  public static MetricTable<PeerConnections> table(String prefix, String port) {
    return MetricTable.<PeerConnections>of(prefix)
        .gauge(
            "connections",
            "Number of open connections to the " + port + " port",
            PeerConnections::open)
        .counter(
            "connections_refused_total",
            "Connections to the "
                + port
                + " port refused because the limit of the port was reached",
            PeerConnections::refused)
        .counter(
            "peer_connections_refused_total",
            "Connections to the "
                + port
                + " port refused because the limit per client address was reached",
            PeerConnections::refusedPeers)
        .build();
  }
}
