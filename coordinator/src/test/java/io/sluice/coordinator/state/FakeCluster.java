package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.assign.HostRule;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.UsageRules;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Decisions of a coordinator with a clock that the test advances. Applies and stores all changes.
 * For one thread.
 */
final class FakeCluster {
  static final long LEASE_MS = 60_000;
  static final long LOST_AFTER_MS = 30_000;
  static final long FORGET_AFTER_MS = 3_600_000;
  static final long ENDED_REMEMBERED_MS = 600_000;

  final ServerTableConfig servers;
  final ApplicationConfig applications;
  private final ApplicationDecisions applicationDecisions;
  private final ShuffleDecisions shuffleDecisions;
  private final ServerDecisions serverDecisions;
  private final MoveDecisions moveDecisions;
  private final TimeoutDecisions timeouts;
  final Quotas quotas;
  private final QuotaWatch quotaWatch;
  UsageRules newRules;
  final Listings listings;

  long nowMs = 1_000_000;
  ClusterView view = ClusterView.startedAt(nowMs);
  final List<String> events = new ArrayList<>();
  private long seed = 1;

  FakeCluster() {
    this(
        new ServerTableConfig(LOST_AFTER_MS, 5000, FORGET_AFTER_MS, 100, 0),
        new ApplicationConfig(LEASE_MS, 100, ENDED_REMEMBERED_MS, 10, 50));
  }

  FakeCluster(ServerTableConfig servers, ApplicationConfig applications) {
    this(servers, applications, UsageRules.ofAll(Limits.NONE));
  }

  FakeCluster(ServerTableConfig servers, ApplicationConfig applications, UsageRules rules) {
    this.quotas = new Quotas(rules);
    this.quotaWatch = new QuotaWatch(quotas, () -> newRules, servers::lostAfterMs);
    this.newRules = rules;
    this.servers = servers;
    this.applications = applications;
    AssignmentConfig assignment = new AssignmentConfig(HostRule.PREFER_DIFF, 9, 0.95);
    Eligibility eligibility =
        new Eligibility(servers.lostAfterMs(), assignment.maxStorageUsedShare());
    this.applicationDecisions = new ApplicationDecisions(applications, eligibility, quotas);
    this.shuffleDecisions =
        new ShuffleDecisions(
            servers,
            applications,
            applicationDecisions,
            eligibility,
            new AssignmentPlanner(assignment),
            quotas);
    this.serverDecisions = new ServerDecisions(servers, applications, quotas);
    this.moveDecisions = new MoveDecisions(eligibility, new AssignmentPlanner(assignment));
    this.timeouts = new TimeoutDecisions(servers, applications);
    this.listings = new Listings(servers, applications);
  }

  /** Reads the rule files and updates the usage, like the rules thread. */
  void updateQuotas() {
    List<MetadataRecord> records = new ArrayList<>(quotaWatch.readRules());
    records.addAll(quotaWatch.update(view, nowMs));
    applied(records);
  }

  /** Advances the clock and checks timeouts, like the state thread. */
  void pass(long ms) {
    nowMs += ms;
    applied(timeouts.expired(view, nowMs));
  }

  /** Replaces the coordinator by one that knows only the logged state. */
  void restart() {
    List<LoggedChange> logged = LoggedState.of(view, new ClusterHistory());
    view = ClusterView.startedAt(nowMs).apply(logged).startingAt(nowMs);
  }

  RegisterApplicationReply register(String application, String user) {
    return register(application, user, false);
  }

  /** Registers an application again. */
  RegisterApplicationReply registerAgain(String application, String user) {
    return register(application, user, true);
  }

  private RegisterApplicationReply register(String application, String user, boolean continued) {
    return applied(
        applicationDecisions.register(
            view,
            RegisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setUser(user)
                .setClientVersion("1")
                .setContinued(continued)
                .build(),
            nowMs));
  }

  RenewLeaseReply renew(String application, ShuffleMove... appliedMoves) {
    return applied(
        applicationDecisions.renew(
            view,
            RenewLeaseRequest.newBuilder()
                .setApplication(application)
                .addAllAppliedMoves(List.of(appliedMoves))
                .build(),
            nowMs));
  }

  RenewLeaseReply renewWithWrongReceipts(String application, int attempts) {
    return applied(
        applicationDecisions.renew(
            view,
            RenewLeaseRequest.newBuilder()
                .setApplication(application)
                .setReport(ApplicationReport.newBuilder().setWrongReceipts(attempts))
                .build(),
            nowMs));
  }

  MoveTargetReply target(MoveTargetRequest request) {
    return applied(moveDecisions.target(view, request, nowMs, seed++));
  }

  UnregisterApplicationReply unregister(String application) {
    return unregister(application, ApplicationReport.getDefaultInstance());
  }

  UnregisterApplicationReply unregister(String application, ApplicationReport report) {
    return applied(
        applicationDecisions.unregister(
            view,
            UnregisterApplicationRequest.newBuilder()
                .setApplication(application)
                .setReport(report)
                .build(),
            nowMs));
  }

  RegisterShuffleReply shuffle(RegisterShuffleRequest.Builder request) {
    return applied(shuffleDecisions.register(view, request.build(), nowMs, seed++));
  }

  static RegisterShuffleRequest.Builder shuffleOf(String application, int shuffle, int partitions) {
    return RegisterShuffleRequest.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle))
        .setPartitionCount(partitions)
        .setReplicas(1);
  }

  HeartbeatReply heartbeat(HeartbeatRequest.Builder request) {
    return applied(serverDecisions.heartbeat(view, request.build(), nowMs));
  }

  static HeartbeatRequest.Builder beatOf(String host, int port) {
    return HeartbeatRequest.newBuilder()
        .setServer(Servers.id(host, port))
        .setState(ServerState.ACTIVE)
        .setLoad(Servers.idleLoad());
  }

  ApplicationLease.State leaseAt(String host, int port, String application) {
    HeartbeatReply reply = heartbeat(beatOf(host, port).addApplications(application));
    if (reply.getStatus() != Status.OK || reply.getLeasesCount() != 1) {
      throw new AssertionError("expected one lease, found " + reply);
    }
    return reply.getLeases(0).getState();
  }

  void exclude(String... lines) {
    applied(List.of(new LoggedChange.ExclusionsSet(ExcludeList.parse(List.of(lines)))));
  }

  ServerState stateOf(String name) {
    return listings.servers(view, nowMs).getServersList().stream()
        .filter(server -> server.getServer().getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getState();
  }

  private <R> R applied(Decision<R> decision) {
    applied(decision.records());
    return decision.reply();
  }

  private void applied(List<MetadataRecord> records) {
    for (MetadataRecord record : records) {
      record.events(view).forEach(event -> events.add(event.level() + " " + event.text()));
      view = record.applyTo(view);
    }
  }
}
