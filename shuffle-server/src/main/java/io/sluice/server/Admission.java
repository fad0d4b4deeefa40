package io.sluice.server;

import io.sluice.common.audit.AuditLog;
import io.sluice.common.audit.ConnectionDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.server.transport.DataTransportConfig;
import io.sluice.server.transport.TransportCounters;
import java.util.function.LongSupplier;

/**
 * Bounds and counts the connections to the data port and the gRPC port, and writes to the audit log
 * who is turned away. Thread-safe.
 */
final class Admission {
  private final AuditLog audit = new AuditLog();
  private final ConnectionDenials denials;
  private final TransportCounters data;
  private final PeerConnections rpc;

  /**
   * @param limits of each of the two ports
   */
  Admission(DataTransportConfig limits, LongSupplier nanoTime) {
    denials = new ConnectionDenials(audit, nanoTime);
    data = new TransportCounters(denials::denied);
    rpc = new PeerConnections(limits.maxConnections(), limits.maxConnectionsPerPeer());
  }

  AuditLog audit() {
    return audit;
  }

  /** The connections that bring and take data, of either port. */
  TransportCounters data() {
    return data;
  }

  /** The connections to the gRPC port. */
  PeerConnections rpc() {
    return rpc;
  }

  AcceptLimit rpcLimit() {
    return new AcceptLimit(
        rpc, (peer, reason) -> denials.denied(String.valueOf(peer), "", "gRPC port: " + reason));
  }
}
