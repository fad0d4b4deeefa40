package io.sluice.metrics;

import io.sluice.common.net.PeerConnections;

/** The metrics of the connections to a gRPC port. */
public final class GrpcConnections {
  private GrpcConnections() {}

  /**
   * The table of a port.
   *
   * @param prefix of the component, such as {@code sluice_coordinator_}
   */
  public static MetricTable<PeerConnections> table(String prefix) {
    return MetricTable.<PeerConnections>of(prefix)
        .gauge("connections", "Open connections to the gRPC port", PeerConnections::open)
        .counter(
            "connections_refused_total",
            "Connections to the gRPC port closed because there were too many",
            PeerConnections::refused)
        .counter(
            "peer_connections_refused_total",
            "Connections to the gRPC port closed because there were too many from their address",
            PeerConnections::refusedPeers)
        .build();
  }
}
