package io.sluice.server.cluster;

import io.sluice.proto.Adoption;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.log.LeaseTable;
import java.util.List;

/**
 * Provides the content of heartbeats, and handles their replies. Implementations are thread-safe
 * and do not block.
 */
public interface HeartbeatSource {
  /** The next heartbeat; it lists all applications with data on this server. */
  HeartbeatRequest heartbeat();

  /** Deletes all shuffles of an application whose lease has expired. */
  void deleteApplication(String application, LeaseTable.Reason reason);

  /** Called with the leases that a coordinator returned for the listed applications. */
  default void onLeases(String coordinator, List<ApplicationLease> leases) {}

  /** Called with the reported moves that drivers have applied. */
  default void onMovesApplied(List<ShuffleMove> moves) {}

  /** Called with the directories of lost servers that this server adopts. */
  default void onAdoptions(List<Adoption> adoptions) {}

  /** Called when a coordinator did not answer. */
  default void onNoReply(String coordinator) {}
}
