package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.RevocationTable;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Answers heartbeats. Pure functions. */
public final class ServerDecisions {
  private final ServerTableConfig servers;
  private final ApplicationConfig applications;
  private final Quotas quotas;
  private final AdoptionDecisions adoptions;

  public ServerDecisions(ServerTableConfig servers, ApplicationConfig applications, Quotas quotas) {
    this.servers = servers;
    this.applications = applications;
    this.quotas = quotas;
    this.adoptions = new AdoptionDecisions(servers);
  }

  /** Records the heartbeat of a server, and returns the leases of its applications. */
  public Decision<HeartbeatReply> heartbeat(
      ClusterView view, HeartbeatRequest request, long nowMs) {
    String problem = RequestChecks.heartbeat(request);
    if (problem != null) {
      return refused(Status.BAD_REQUEST, problem);
    }
    ServerId id = request.getServer();
    Server known = view.servers().get(id.getName());
    if (known == null && view.servers().size() >= servers.maxServers()) {
      return refused(
          Status.BUSY,
          "this coordinator has " + view.servers().size() + " servers, the maximum: retry later");
    }
    if (known != null && id.getEpoch() < known.id().getEpoch()) {
      return refused(
          Status.STALE_EPOCH,
          "server "
              + id.getName()
              + ": expected epoch "
              + known.id().getEpoch()
              + " or later, found "
              + id.getEpoch()
              + " of an earlier start of the process");
    }
    HeartbeatReply.Builder reply = reply(Status.OK, "");
    for (String application : request.getApplicationsList()) {
      reply.addLeases(lease(view, application, nowMs));
    }
    addRevocations(view.orders().revocations(), request, reply);
    List<MetadataRecord> records = new ArrayList<>();
    recordMoves(view, request, nowMs, records, reply);
    if (request.getLeaving()) {
      if (known != null) {
        records.add(new MetadataRecord.ServerLeft(id.getName(), id.getEpoch()));
      }
      if (view.orders().decommission(id.getName()) != null) {
        records.add(new LoggedChange.DecommissionEnded(id.getName(), false));
      }
      records.addAll(adoptions.changes(view, request, nowMs));
      return Decision.repeated(records, reply.build());
    }
    ServerState state =
        request.getState() == ServerState.UNRECOGNIZED ? ServerState.UNHEALTHY : request.getState();
    DecommissionOrder order = view.orders().decommission(id.getName());
    if (order != null && isVoid(order, id, state, nowMs)) {
      records.add(new LoggedChange.DecommissionEnded(id.getName(), false));
    }
    List<String> tags = request.getTagsList().stream().distinct().sorted().toList();
    records.add(
        new MetadataRecord.ServerReported(
            id, state, request.getLoad(), request.getStored(), tags, nowMs));
    records.addAll(adoptions.changes(view, request, nowMs));
    reply.addAllAdoptions(adoptions.orders(view, request, nowMs));
    return Decision.repeated(records, reply.build());
  }

  /**
   * Whether a server no longer carries out an order: it was restarted, or it accepts assignments
   * long after the order, because an operator cancelled the order directly at the server.
   */
  private boolean isVoid(DecommissionOrder order, ServerId id, ServerState state, long nowMs) {
    return order.epoch() != id.getEpoch()
        || (state == ServerState.ACTIVE && nowMs - order.orderedAtMs() > servers.lostAfterMs());
  }

  /** Adds the revoked tokens to the reply, if the server has another revision of the list. */
  private static void addRevocations(
      RevocationTable revocations, HeartbeatRequest request, HeartbeatReply.Builder reply) {
    reply.setRevocationsRevision(revocations.revision());
    if (revocations.revision() != request.getRevocationsRevision()) {
      revocations.all().forEach(one -> reply.addRevocations(one.toMessage()));
    }
  }

  /**
   * Records new moves and servers that have data by a move, and adds the moves that drivers have
   * applied to the reply.
   */
  private void recordMoves(
      ClusterView view,
      HeartbeatRequest request,
      long nowMs,
      List<MetadataRecord> records,
      HeartbeatReply.Builder reply) {
    Map<String, List<ShuffleMove>> newMoves = new LinkedHashMap<>();
    Map<String, Set<String>> newServers = new LinkedHashMap<>();
    for (ShuffleMove move : request.getMovesList()) {
      String name = move.getShuffle().getApplication();
      String target = move.getTo().getName();
      Application application = view.applications().get(name);
      if (application == null || application.state() != Application.State.LIVE) {
        // The next heartbeat repeats the move.
        continue;
      }
      boolean isNew = !application.moves().contains(move);
      boolean addsServer = application.passesDataTo(move.getFrom(), target);
      if ((isNew || addsServer) && !adoptions.isValid(view, request, move, nowMs)) {
        continue;
      }
      if (addsServer) {
        newServers.computeIfAbsent(name, unused -> new LinkedHashSet<>()).add(target);
      }
      if (isNew) {
        newMoves.computeIfAbsent(name, unused -> new ArrayList<>()).add(move);
      } else if (application.moves().isApplied(move)) {
        reply.addAppliedMoves(move);
      }
    }
    newServers.forEach(
        (name, some) ->
            records.add(
                LoggedChange.ApplicationRegistered.withServers(
                    view.applications().get(name), some)));
    newMoves.forEach((name, some) -> records.add(new MetadataRecord.MovesReported(name, some)));
  }

  private ApplicationLease lease(ClusterView view, String name, long nowMs) {
    Application application = view.applications().get(name);
    ApplicationLease.Builder lease = ApplicationLease.newBuilder().setApplication(name);
    if (application == null) {
      lease.setState(ApplicationLease.State.UNKNOWN);
    } else if (application.state() == Application.State.ENDED) {
      lease.setState(ApplicationLease.State.ENDED);
    } else if (application.liveAt(nowMs, applications.leaseMs())) {
      lease
          .setState(ApplicationLease.State.LIVE)
          .setRemainingMs(application.leaseRemainingMs(nowMs, applications.leaseMs()));
      quotas.overQuota(name).ifPresent(denial -> lease.setOverQuota(denial.message()));
    } else {
      lease.setState(ApplicationLease.State.UNKNOWN);
    }
    return lease.build();
  }

  private Decision<HeartbeatReply> refused(Status status, String message) {
    return Decision.unchanged(reply(status, message).build());
  }

  private HeartbeatReply.Builder reply(Status status, String message) {
    return HeartbeatReply.newBuilder()
        .setStatus(status)
        .setMessage(message)
        .setLeaseMs(applications.leaseMs())
        .setHeartbeatIntervalMs(servers.heartbeatIntervalMs());
  }
}
