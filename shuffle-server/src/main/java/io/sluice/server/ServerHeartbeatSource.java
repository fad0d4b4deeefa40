package io.sluice.server;

import io.sluice.common.auth.AuditEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.proto.Adoption;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.cluster.AdoptedData;
import io.sluice.server.cluster.Decommission;
import io.sluice.server.cluster.HeartbeatSource;
import io.sluice.server.cluster.Mover;
import io.sluice.server.cluster.StoreReport;
import io.sluice.server.cluster.StoredDataReport;
import io.sluice.server.log.LeaseTable;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.service.OverQuota;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the heartbeats of this server and applies the replies of coordinators. Thread-safe. */
public final class ServerHeartbeatSource implements HeartbeatSource {
  private static final Logger log = LoggerFactory.getLogger(ServerHeartbeatSource.class);

  private final StoreReport report;
  private final ShuffleStore store;
  private final Supplier<List<String>> tags;
  private final Decommission decommission;
  private final Mover mover;
  private final AdoptedData adopted;
  private final OverQuota overQuota;
  private final AuditLog audit;
  private final Map<LeaseTable.Reason, LongAdder> forgotten =
      new EnumMap<>(LeaseTable.Reason.class);

  /**
   * @param tags called for each heartbeat
   */
  public ServerHeartbeatSource(
      StoreReport report,
      ShuffleStore store,
      Supplier<List<String>> tags,
      Decommission decommission,
      Mover mover,
      AdoptedData adopted,
      OverQuota overQuota,
      AuditLog audit) {
    this.report = report;
    this.store = store;
    this.tags = tags;
    this.decommission = decommission;
    this.mover = mover;
    this.adopted = adopted;
    this.overQuota = overQuota;
    this.audit = audit;
    for (LeaseTable.Reason reason : LeaseTable.Reason.values()) {
      forgotten.put(reason, new LongAdder());
    }
  }

  @Override
  public HeartbeatRequest heartbeat() {
    ServerId server = report.server();
    List<ShuffleMove> moves = mover.moves();
    return HeartbeatRequest.newBuilder()
        .setServer(server)
        .setState(report.state())
        .setLoad(report.load())
        .addAllTags(tags.get())
        .addAllApplications(store.applications())
        .setStored(StoredDataReport.of(store))
        .setLeaving(decommission.hasLeft())
        .addAllMoves(moves)
        .addAllMoves(adopted.moves(server, Mover.MAX_MOVES - moves.size()))
        .build();
  }

  /** Number of applications that were removed for a reason since the server started. */
  long forgotten(LeaseTable.Reason reason) {
    return forgotten.get(reason).sum();
  }

  private static AuditEntry.Action action(LeaseTable.Reason reason) {
    return switch (reason) {
      case ENDED -> AuditEntry.Action.DELETE;
      case LEASE_OUT -> AuditEntry.Action.EXPIRE;
    };
  }

  @Override
  public void onLeases(String coordinator, List<ApplicationLease> leases) {
    overQuota.answered(coordinator, leases);
  }

  @Override
  public void onMovesApplied(List<ShuffleMove> moves) {
    mover.applied(moves);
    adopted.applied(moves);
  }

  @Override
  public void onAdoptions(List<Adoption> adoptions) {
    adopted.order(adoptions);
  }

  @Override
  public void onNoReply(String coordinator) {
    overQuota.failed(coordinator);
  }

  @Override
  public void deleteApplication(String application, LeaseTable.Reason reason) {
    int shuffles = store.removeApplication(application);
    forgotten.get(reason).increment();
    log.atInfo()
        .addKeyValue("application", application)
        .addKeyValue("reason", reason)
        .addKeyValue("shuffles", shuffles)
        .log("removed the data of an application");
    audit.write(AuditEntry.happened(action(reason), application, reason.name()));
  }
}
