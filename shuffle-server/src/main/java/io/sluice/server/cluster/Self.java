package io.sluice.server.cluster;

import io.sluice.proto.HeartbeatRequest;
import io.sluice.server.lease.LeaseTable;

/**
 * The server as its heartbeats need it: what to report, and how to forget an application.
 * Implementations are thread-safe and do not block.
 */
public interface Self {
  /** What to tell the coordinators now; its applications are all that the server holds data of. */
  HeartbeatRequest heartbeat();

  /** Forgets all shuffles of an application, whose lease is over. */
  void forget(String application, LeaseTable.Reason reason);
}
