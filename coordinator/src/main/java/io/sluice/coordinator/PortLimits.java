package io.sluice.coordinator;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ConnectionDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
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
        config.connections(),
        config.httpConnections(),
        new CallDenials(audit, nanoTime),
        new CallDenials(audit, nanoTime),
        new ConnectionDenials(audit, nanoTime));
  }

  CoordinatorMetrics metrics() {
    return new CoordinatorMetrics(connections, httpConnections, calls, httpCalls);
  }

  /**
   * @param encrypted whether the port uses TLS
   */
  AcceptLimit rpcLimit(boolean encrypted) {
    return limit(connections, encrypted ? RefusalReply.NONE : RefusalReply.HTTP2, "gRPC port: ");
  }

  /**
   * @param encrypted whether the port uses TLS
   */
  AcceptLimit httpLimit(boolean encrypted) {
    return limit(httpConnections, encrypted ? RefusalReply.NONE : RefusalReply.HTTP, "HTTP port: ");
  }

  private AcceptLimit limit(PeerConnections ofPort, RefusalReply reply, String port) {
    return new AcceptLimit(
        ofPort,
        reply,
        (peer, reason) -> refused.beyondLimit(String.valueOf(peer), "", port + reason));
  }
}
