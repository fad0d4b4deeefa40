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
 * Bounds and counts the connections to the data port, the gRPC port and the HTTP port, and writes
 * to the audit log which connections and calls are denied. Thread-safe.
 */
final class Admission {
  private final AuditLog audit = new AuditLog();
  private final ConnectionDenials denials;
  private final CallDenials calls;
  private final TransportCounters data;
  private final PeerConnections rpc;
  private final PeerConnections http;

  Admission(NetworkConfig network, LongSupplier nanoTime) {
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

  /** The calls to the gRPC port that were denied. */
  CallDenials calls() {
    return calls;
  }

  /** The connections that bring and take data, of either port. */
  TransportCounters data() {
    return data;
  }

  /** The connections to the gRPC port. */
  PeerConnections rpc() {
    return rpc;
  }

  /** The connections to the HTTP port. */
  PeerConnections http() {
    return http;
  }

  /** A connection to the socket for readers on this host was turned away. */
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
