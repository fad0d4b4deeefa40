package io.sluice.server.cluster;

import io.sluice.proto.ApplicationLease;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.log.LeaseTable;
import java.util.List;

/**
 * The server as its heartbeats need it: what to report, and how to forget an application.
 * Implementations are thread-safe and do not block.
 */
public interface HeartbeatSource {
  /** What to tell the coordinators now; its applications are all that the server holds data of. */
  HeartbeatRequest heartbeat();

  /** Forgets all shuffles of an application, whose lease is over. */
  void forget(String application, LeaseTable.Reason reason);

  /** A coordinator has said what it knows of the applications that were named to it. */
  default void told(String coordinator, List<ApplicationLease> leases) {}

  /** Drivers heed some of the moves that were reported, as a coordinator says. */
  default void applied(List<ShuffleMove> moves) {}

  /** A coordinator did not answer. */
  default void notTold(String coordinator) {}
}
