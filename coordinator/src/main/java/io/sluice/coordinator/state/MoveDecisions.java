package io.sluice.coordinator.state;

import io.sluice.common.error.PeerText;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Chooses the servers that receive the data of a leaving server. Pure functions. */
public final class MoveDecisions {
  private final Eligibility eligibility;
  private final AssignmentPlanner planner;

  public MoveDecisions(Eligibility eligibility, AssignmentPlanner planner) {
    this.eligibility = eligibility;
    this.planner = planner;
  }

  /**
   * Chooses the target server of one shuffle and counts its partitions like an assignment. The
   * target must have all tags of the leaving server, because the job may require any of them.
   * Servers on hosts without data of the shuffle are preferred, because that data may be a replica;
   * then servers without data of the shuffle.
   *
   * @param seed seed of all random numbers of the choice
   */
  public Decision<MoveTargetReply> target(
      ClusterView view, MoveTargetRequest request, long nowMs, long seed) {
    String problem = RequestChecks.moveTarget(request);
    if (problem != null) {
      return refused(Status.BAD_REQUEST, problem);
    }
    Server leaving = view.servers().get(request.getFrom());
    if (leaving == null) {
      return refused(
          Status.NO_SERVERS,
          "server "
              + request.getFrom()
              + " is not known to this coordinator, so its tags are"
              + " unknown");
    }
    Set<String> excluded = new HashSet<>(request.getExcludedServersList());
    excluded.add(leaving.name());
    Eligibility.Requirements requirements = new Eligibility.Requirements(leaving.tags(), excluded);
    List<Server> eligible =
        eligibility.eligible(view.servers(), view.excluded(), requirements, nowMs);
    if (eligible.isEmpty()) {
      return refused(
          Status.NO_SERVERS,
          "no server can receive the data of server "
              + leaving.name()
              + ": "
              + eligibility.summary(view.servers(), view.excluded(), requirements, nowMs));
    }
    int partitions = Math.max(1, request.getPartitions());
    Server target =
        planner
            .plan(
                new AssignmentPlanner.Request(
                    partitions, 1, 1, view.partitionSize().expectedBytes()),
                Eligibility.preferring(
                    leaving.zone(),
                    awayFromReplicas(view, request.getShuffle(), leaving.name(), eligible)),
                new SplittableRandom(seed))
            .servers()
            .get(0);
    List<MetadataRecord> records = new ArrayList<>();
    Application application = view.applications().get(request.getShuffle().getApplication());
    if (application != null
        && application.state() == Application.State.LIVE
        && application.passesDataTo(leaving.name(), target.name())) {
      // The leaving server may copy blocks, and fail before it reports the move.
      records.add(
          LoggedChange.ApplicationRegistered.withServers(application, Set.of(target.name())));
    }
    records.add(new MetadataRecord.MoveTargetChosen(target.name(), partitions));
    return new Decision<>(
        records, MoveTargetReply.newBuilder().setStatus(Status.OK).setServer(target.id()).build());
  }

  /**
   * Returns the refusal of a request of a server that does not serve the application, as far as
   * this coordinator knows; empty if it does. A driver names the servers of its application when it
   * registers again after a restart of the coordinator.
   */
  public Optional<Decision<MoveTargetReply>> refusal(ClusterView view, MoveTargetRequest request) {
    String name = request.getShuffle().getApplication();
    Application application = view.applications().get(name);
    if (application == null) {
      return Optional.of(
          refused(
              Status.UNKNOWN_APPLICATION,
              "application " + PeerText.quoted(name) + " is not registered with this coordinator"));
    }
    return application.servers().contains(request.getFrom())
        ? Optional.empty()
        : Optional.of(
            refused(
                Status.DENIED,
                "application "
                    + PeerText.quoted(name)
                    + " has no data on server "
                    + PeerText.quoted(request.getFrom())
                    + ", as far as this coordinator knows"));
  }

  private static List<Server> awayFromReplicas(
      ClusterView view, ShuffleId shuffle, String leaving, List<Server> eligible) {
    Set<String> serversWithData = new HashSet<>();
    Set<String> hosts = new HashSet<>();
    for (Server server : view.servers().all()) {
      boolean hasShuffle =
          server.stored().getShufflesList().stream()
              .anyMatch(load -> load.getShuffle().equals(shuffle));
      if (hasShuffle && !server.name().equals(leaving)) {
        serversWithData.add(server.name());
        hosts.add(server.id().getHost());
      }
    }
    List<Server> onOtherHosts =
        filtered(
            eligible,
            server ->
                !serversWithData.contains(server.name()) && !hosts.contains(server.id().getHost()));
    List<Server> others = filtered(eligible, server -> !serversWithData.contains(server.name()));
    return !onOtherHosts.isEmpty() ? onOtherHosts : !others.isEmpty() ? others : eligible;
  }

  private static List<Server> filtered(List<Server> servers, Predicate<Server> wanted) {
    return servers.stream().filter(wanted).toList();
  }

  private static Decision<MoveTargetReply> refused(Status status, String message) {
    return Decision.unchanged(
        MoveTargetReply.newBuilder().setStatus(status).setMessage(message).build());
  }
}
