package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Says who takes what a leaving server holds. Pure functions. */
public final class MoveDecisions {
  private final Eligibility eligibility;
  private final AssignmentPlanner planner;

  public MoveDecisions(Eligibility eligibility, AssignmentPlanner planner) {
    this.eligibility = eligibility;
    this.planner = planner;
  }

  /**
   * Chooses one server, and counts it, like a further one of the shuffle. One that has all tags of
   * the leaving server, since the job may have asked for any of them; while there is one, not on a
   * host that holds some of the shuffle, which may be a copy, or else not such a server.
   *
   * @param seed of every random number that the choice needs
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
          "server " + request.getFrom() + " is not known here, nor what others should be like");
    }
    Set<String> excluded = new HashSet<>(request.getExcludedServersList());
    excluded.add(leaving.name());
    Eligibility.Wish wish = new Eligibility.Wish(leaving.tags(), excluded);
    List<Server> eligible = eligibility.eligible(view.servers(), view.excluded(), wish, nowMs);
    if (eligible.isEmpty()) {
      return refused(
          Status.NO_SERVERS,
          "no server can take what "
              + leaving.name()
              + " holds; "
              + eligibility.account(view.servers(), view.excluded(), wish, nowMs));
    }
    int partitions = Math.max(1, request.getPartitions());
    Server target =
        planner
            .plan(
                new AssignmentPlanner.Request(
                    partitions, 1, 1, view.partitionSize().expectedBytes()),
                awayFromCopies(view, request.getShuffle(), leaving.name(), eligible),
                new SplittableRandom(seed))
            .servers()
            .get(0);
    return Decision.of(
        new MetadataRecord.MoveTargetChosen(target.name(), partitions),
        MoveTargetReply.newBuilder().setStatus(Status.OK).setServer(target.id()).build());
  }

  private static List<Server> awayFromCopies(
      ClusterView view, ShuffleId shuffle, String leaving, List<Server> eligible) {
    Set<String> holders = new HashSet<>();
    Set<String> hosts = new HashSet<>();
    for (Server server : view.servers().all()) {
      boolean holds =
          server.held().getShufflesList().stream()
              .anyMatch(load -> load.getShuffle().equals(shuffle));
      if (holds && !server.name().equals(leaving)) {
        holders.add(server.name());
        hosts.add(server.id().getHost());
      }
    }
    List<Server> elsewhere =
        those(
            eligible,
            server -> !holders.contains(server.name()) && !hosts.contains(server.id().getHost()));
    List<Server> others = those(eligible, server -> !holders.contains(server.name()));
    return !elsewhere.isEmpty() ? elsewhere : !others.isEmpty() ? others : eligible;
  }

  private static List<Server> those(List<Server> servers, Predicate<Server> wanted) {
    return servers.stream().filter(wanted).toList();
  }

  private static Decision<MoveTargetReply> refused(Status status, String message) {
    return Decision.unchanged(
        MoveTargetReply.newBuilder().setStatus(status).setMessage(message).build());
  }
}
