package io.sluice.coordinator;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ConnectionDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.coordinator.http.CoordinatorMetrics;
import java.util.function.LongSupplier;

/**
 * Connection limits and counters of denied calls and connections of both ports. Thread-safe.
 *
 * @param calls denied calls of the gRPC port
 * @param httpCalls denied requests of the HTTP port
 */
record PortLimits(
    AuditLog audit,
    PeerConnections connections,
    PeerConnections httpConnections,
    CallDenials calls,
    CallDenials httpCalls,
    ConnectionDenials refused) {

  static PortLimits of(CoordinatorPortsConfig config, LongSupplier nanoTime) {
    AuditLog audit = new AuditLog();
    return new PortLimits(
        audit,
        new PeerConnections(config.maxConnections(), config.maxConnectionsPerPeer()),
        new PeerConnections(config.maxHttpConnections(), config.maxHttpConnectionsPerPeer()),
        new CallDenials(audit, nanoTime),
        new CallDenials(audit, nanoTime),
        new ConnectionDenials(audit, nanoTime));
  }

  CoordinatorMetrics metrics() {
    return new CoordinatorMetrics(connections, httpConnections, calls, httpCalls);
  }

  AcceptLimit rpcLimit() {
    return new AcceptLimit(
        connections, (peer, reason) -> refused.denied(String.valueOf(peer), "", reason));
  }

  AcceptLimit httpLimit() {
    return new AcceptLimit(
        httpConnections,
        (peer, reason) -> refused.denied(String.valueOf(peer), "", "HTTP port: " + reason));
  }
}
