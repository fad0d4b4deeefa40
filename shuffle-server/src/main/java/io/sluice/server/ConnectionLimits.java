package io.sluice.server;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ConnectionDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.server.net.ShortCircuitServer;
import io.sluice.transport.server.DataTransportConfig;
import io.sluice.transport.server.TransportCounters;
import io.sluice.transport.server.TransportCounters.Denial;
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
    data =
        new TransportCounters(
            (why, peer, application, reason) -> {
              if (why == Denial.PROOF) {
                denials.denied(peer, application, reason);
              } else {
                denials.beyondLimit(peer, application, reason);
              }
            });
    rpc = limits.connectionsOfPort();
    http = network.http().connections();
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

  /** Receives refused connections to the Unix domain socket for local readers. */
  ShortCircuitServer.Denials shortCircuits() {
    return new ShortCircuitServer.Denials() {
      @Override
      public void denied(String peer, String reason) {
        denials.denied(peer, "", "Unix socket: " + reason);
      }

      @Override
      public void beyondLimit(String peer, String reason) {
        denials.beyondLimit(peer, "", "Unix socket: " + reason);
      }
    };
  }

  /**
   * @param encrypted whether the port uses TLS
   */
  AcceptLimit rpcLimit(boolean encrypted) {
    return limit(rpc, encrypted ? RefusalReply.NONE : RefusalReply.HTTP2, "gRPC port: ");
  }

  /**
   * @param encrypted whether the port uses TLS
   */
  AcceptLimit httpLimit(boolean encrypted) {
    return limit(http, encrypted ? RefusalReply.NONE : RefusalReply.HTTP, "HTTP port: ");
  }

  private AcceptLimit limit(PeerConnections connections, RefusalReply reply, String port) {
    return new AcceptLimit(
        connections,
        reply,
        (peer, reason) -> denials.beyondLimit(String.valueOf(peer), "", port + reason));
  }
}
