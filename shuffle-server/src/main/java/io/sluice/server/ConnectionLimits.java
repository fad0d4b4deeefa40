package io.sluice.server;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ConnectionDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.transport.server.DataTransportConfig;
import io.sluice.transport.server.TransportCounters;
import java.util.function.LongSupplier;

/**
 * Limits and counts the connections to the data port, the gRPC port and the HTTP port. Writes
 * denied connections and calls to the audit log. Thread-safe.
 */
final class ConnectionLimits {
  private final AuditLog audit = new AuditLog();
  private final ConnectionDenials denials;
  private final CallDenials calls;
  private final TransportCounters data;
  private final PeerConnections rpc;
  private final PeerConnections http;

  ConnectionLimits(NetworkConfig network, LongSupplier nanoTime) {
    DataTransportConfig limits = network.connections();
    denials = new ConnectionDenials(audit, nanoTime);
    calls = new CallDenials(audit, nanoTime);
    data = new TransportCounters(denials::denied);
    rpc = new PeerConnections(limits.maxConnections(), limits.maxConnectionsPerPeer());
    http =
        new PeerConnections(
            network.http().maxConnections(), network.http().maxConnectionsPerPeer());
  }

  AuditLog audit() {
    return audit;
  }

  /** Denied calls to the gRPC port. */
  CallDenials calls() {
    return calls;
  }

  /** Data connections, to the data port and to the gRPC port. */
  TransportCounters data() {
    return data;
  }

  /** Connections to the gRPC port. */
  PeerConnections rpc() {
    return rpc;
  }

  /** Connections to the HTTP port. */
  PeerConnections http() {
    return http;
  }

  /** Records that a connection to the Unix domain socket for local readers was refused. */
  void shortCircuitDenied(String peer, String reason) {
    denials.denied(peer, "", "Unix socket: " + reason);
  }

  AcceptLimit rpcLimit() {
    return limit(rpc, "gRPC port: ");
  }

  AcceptLimit httpLimit() {
    return limit(http, "HTTP port: ");
  }

  private AcceptLimit limit(PeerConnections connections, String port) {
    return new AcceptLimit(
        connections, (peer, reason) -> denials.denied(String.valueOf(peer), "", port + reason));
  }
}
