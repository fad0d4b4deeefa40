package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.Assignment;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.quota.Denial;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Assigns servers to shuffles. Pure functions. */
public final class ShuffleDecisions {
  private final ServerTableConfig servers;
  private final ApplicationConfig applications;
  private final ApplicationDecisions applicationDecisions;
  private final Eligibility eligibility;
  private final AssignmentPlanner planner;
  private final Quotas quotas;

  public ShuffleDecisions(
      ServerTableConfig servers,
      ApplicationConfig applications,
      ApplicationDecisions applicationDecisions,
      Eligibility eligibility,
      AssignmentPlanner planner,
      Quotas quotas) {
    this.servers = servers;
    this.applications = applications;
    this.applicationDecisions = applicationDecisions;
    this.eligibility = eligibility;
    this.planner = planner;
    this.quotas = quotas;
  }

  /**
   * Assigns the partitions of a shuffle. A shuffle may be registered again with an equal partition
   * count and gets a new assignment, for a stage that is recomputed after a loss; the driver
   * decides which assignment it uses. A request for a replacement server is answered with one
   * server, chosen and counted like any other.
   *
   * @param seed seed of all random numbers of the assignment
   */
  public Decision<RegisterShuffleReply> register(
      ClusterView view, RegisterShuffleRequest request, long nowMs, long seed) {
    String problem = RequestChecks.registerShuffle(request);
    if (problem != null) {
      return refused(Status.BAD_REQUEST, problem);
    }
    String name = request.getShuffle().getApplication();
    int shuffle = request.getShuffle().getShuffle();
    String unknown = applicationDecisions.whyUnknown(view, name, nowMs);
    if (unknown != null) {
      return refused(Status.UNKNOWN_APPLICATION, unknown);
    }
    Application application = view.applications().get(name);
    int earlier = application.shuffles().partitionCount(shuffle);
    if (earlier != 0 && earlier != request.getPartitionCount()) {
      return refused(
          Status.BAD_REQUEST,
          "shuffle "
              + shuffle
              + " of application "
              + name
              + ": expected partition_count "
              + earlier
              + " as before, found "
              + request.getPartitionCount());
    }
    Optional<Denial> denial =
        quotas.shuffle(name, application.user(), newPartitions(request, earlier));
    if (denial.isPresent()) {
      return Decision.of(
          new MetadataRecord.Denied(name, application.user(), shuffle, denial.get()),
          refused(Status.DENIED, denial.get().message()).reply());
    }
    long sinceStartMs = nowMs - view.startedAtMs();
    if (sinceStartMs < servers.startupSilenceMs()) {
      return startedRecently(sinceStartMs);
    }
    Eligibility.Requirements requirements =
        new Eligibility.Requirements(
            request.getRequiredTagsList(), Set.copyOf(request.getExcludedServersList()));
    List<Server> eligible =
        eligibility.eligible(view.servers(), view.excluded(), requirements, nowMs);
    if (eligible.isEmpty()) {
      String summary = eligibility.summary(view.servers(), view.excluded(), requirements, nowMs);
      return noServers(application, shuffle, summary);
    }
    boolean replacement = request.getReplacementPartitions() > 0;
    int limit = request.getMaxServers() == 0 ? Integer.MAX_VALUE : request.getMaxServers();
    int replicas = replacement ? 1 : request.getReplicas();
    Assignment assignment =
        planner.plan(
            new AssignmentPlanner.Request(
                replacement ? request.getReplacementPartitions() : request.getPartitionCount(),
                replicas,
                replacement ? 1 : limit,
                view.partitionSize().expectedBytes()),
            Eligibility.preferring(request.getPreferredZone(), eligible),
            new SplittableRandom(seed));
    return new Decision<>(
        records(application, request, assignment, replicas, nowMs),
        replacement
            ? replacementReply(assignment, request.getPartitionCount())
            : reply(assignment));
  }

  private Decision<RegisterShuffleReply> startedRecently(long sinceStartMs) {
    return refused(
        Status.BUSY,
        "this coordinator started "
            + sinceStartMs
            + " ms ago and waits for heartbeats of servers for "
            + servers.startupSilenceMs()
            + " ms before it assigns shuffles: retry later");
  }

  private static Decision<RegisterShuffleReply> noServers(
      Application application, int shuffle, String summary) {
    String reason =
        "no server can accept shuffle "
            + shuffle
            + " of application "
            + application.name()
            + ": "
            + summary;
    return Decision.of(
        new MetadataRecord.Refused(
            Event.Kind.SHUFFLE_REFUSED,
            application.name(),
            application.user(),
            Status.NO_SERVERS,
            reason),
        refused(Status.NO_SERVERS, reason).reply());
  }

  private List<MetadataRecord> records(
      Application application,
      RegisterShuffleRequest request,
      Assignment assignment,
      int replicas,
      long nowMs) {
    List<MetadataRecord> records = new ArrayList<>();
    Set<String> chosen = assignment.partitionsByServer().keySet();
    if (!application.servers().containsAll(chosen)) {
      // Another coordinator that is elected later must know which servers have data.
      records.add(
          new LoggedChange.ApplicationRegistered(
              application.name(), application.user(), application.clientVersion(), chosen, nowMs));
    }
    records.add(
        new MetadataRecord.ShuffleAssigned(
            application.name(),
            request.getShuffle().getShuffle(),
            request.getPartitionCount(),
            replicas,
            assignment.replicas(),
            assignment.partitionsByServer(),
            applications.shufflesRemembered()));
    return records;
  }

  /** Number of partitions that are not assigned yet, replicas counted. */
  private static long newPartitions(RegisterShuffleRequest request, int earlier) {
    boolean known = earlier != 0 || request.getReplacementPartitions() > 0;
    return known ? 0 : (long) request.getPartitionCount() * request.getReplicas();
  }

  private static RegisterShuffleReply replacementReply(Assignment assignment, int partitionCount) {
    return RegisterShuffleReply.newBuilder()
        .setStatus(Status.OK)
        .addServers(assignment.servers().get(0).id())
        .addRanges(
            PartitionRange.newBuilder().setFirst(0).setLast(partitionCount - 1).addServers(0))
        .build();
  }

  private static RegisterShuffleReply reply(Assignment assignment) {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder().setStatus(Status.OK);
    assignment.servers().forEach(server -> reply.addServers(server.id()));
    for (Assignment.Range range : assignment.ranges()) {
      reply.addRanges(
          PartitionRange.newBuilder()
              .setFirst(range.first())
              .setLast(range.last())
              .addAllServers(range.servers()));
    }
    return reply.build();
  }

  private static Decision<RegisterShuffleReply> refused(Status status, String message) {
    return Decision.unchanged(
        RegisterShuffleReply.newBuilder().setStatus(status).setMessage(message).build());
  }
}
