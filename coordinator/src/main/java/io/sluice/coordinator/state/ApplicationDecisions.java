package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.Moves;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.Receipts;
import io.sluice.coordinator.quota.Denial;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Decides registrations, lease renewals and unregistrations of applications. Pure functions. */
public final class ApplicationDecisions {
  /**
   * Maximum number of moves in one reply; others follow with the next reply. The driver repeats
   * them in its next request, which is limited to 1 MiB. Each move has up to four names of at most
   * 256 bytes: two servers, a host and an application.
   */
  private static final int MAX_MOVES_PER_REPLY = 500;

  private static final int MAX_RECEIPTS_PER_APPLICATION = 256;

  private final ApplicationConfig policy;
  private final Eligibility eligibility;
  private final Quotas quotas;

  public ApplicationDecisions(ApplicationConfig policy, Eligibility eligibility, Quotas quotas) {
    this.policy = policy;
    this.eligibility = eligibility;
    this.quotas = quotas;
  }

  /** Registers an application, also again after a restart of this coordinator. */
  public Decision<RegisterApplicationReply> register(
      ClusterView view, RegisterApplicationRequest request, long nowMs) {
    String problem = RequestChecks.registerApplication(request);
    if (problem != null) {
      return refusedRegistration(Status.BAD_REQUEST, problem);
    }
    String name = request.getApplication();
    Application known = view.applications().get(name);
    if (known != null && known.liveAt(nowMs, policy.leaseMs())) {
      if (!known.user().equals(request.getUser())) {
        return denied(request, "application " + name + " belongs to another user");
      }
    } else {
      if (view.applications().liveCount() >= policy.maxApplications()) {
        return refusedRegistration(
            Status.BUSY,
            "this coordinator has "
                + view.applications().liveCount()
                + " live applications, the maximum (rss.coordinator.app.max): retry later");
      }
      Optional<Denial> denial =
          isContinued(view, request, nowMs)
              ? Optional.empty()
              : quotas.application(
                  request.getUser(), liveApplicationsOf(view, request.getUser(), nowMs));
      if (denial.isPresent()) {
        return Decision.of(
            new MetadataRecord.Denied(
                name, request.getUser(), MetadataRecord.Denied.NO_SHUFFLE, denial.get()),
            refusedRegistration(Status.DENIED, denial.get().message()).reply());
      }
    }
    RegisterApplicationReply reply =
        RegisterApplicationReply.newBuilder()
            .setStatus(Status.OK)
            .setLeaseMs(policy.announcedLeaseMs())
            .setAssignableServers(
                eligibility
                    .eligible(view.servers(), view.excluded(), Eligibility.Requirements.NONE, nowMs)
                    .size())
            .build();
    MetadataRecord registered =
        new LoggedChange.ApplicationRegistered(
            name, request.getUser(), request.getClientVersion(), servers(view, request), nowMs);
    if (known != null
        && known.state() == Application.State.LIVE
        && !known.liveAt(nowMs, policy.leaseMs())) {
      // The lease has expired, but the timeout check has not run yet: this is a new registration.
      return new Decision<>(
          List.of(new LoggedChange.ApplicationExpired(name, nowMs - known.sinceMs()), registered),
          reply);
    }
    return known != null && known.state() == Application.State.ENDED
        ? new Decision<>(List.of(new LoggedChange.ApplicationForgotten(name), registered), reply)
        : Decision.of(registered, reply);
  }

  /** Names of the servers with data of the application; those of known servers are shared. */
  private static Set<String> servers(ClusterView view, RegisterApplicationRequest request) {
    Set<String> names = new HashSet<>();
    for (String name : request.getServersList()) {
      Server known = view.servers().get(name);
      names.add(known == null ? name : known.name());
    }
    return names;
  }

  /**
   * Whether the application already has data on servers, so that a quota must not deny it. During
   * the first lease period after the start, the coordinator cannot know this and accepts the
   * statement of the driver.
   */
  private boolean isContinued(ClusterView view, RegisterApplicationRequest request, long nowMs) {
    return request.getContinued()
        && (quotas.hasData(request.getApplication())
            || nowMs - view.startedAtMs() < policy.leaseMs());
  }

  /** Renews the lease of an application. */
  public Decision<RenewLeaseReply> renew(ClusterView view, RenewLeaseRequest request, long nowMs) {
    String name = request.getApplication();
    String problem = RequestChecks.application(name);
    if (problem != null) {
      return Decision.unchanged(renewal(Status.BAD_REQUEST, problem));
    }
    String unknown = whyUnknown(view, name, nowMs);
    if (unknown != null) {
      return Decision.unchanged(renewal(Status.UNKNOWN_APPLICATION, unknown));
    }
    List<MetadataRecord> records = new ArrayList<>();
    records.add(new MetadataRecord.LeaseRenewed(name, nowMs));
    Application known = view.applications().get(name);
    if (request.hasReport()) {
      Fallbacks fallbacks = fallbacks(request.getReport());
      if (!known.fallbacks().equals(fallbacks)) {
        records.add(new LoggedChange.FallbacksReported(name, fallbacks));
      }
      records.addAll(notices(name, request.getReport()));
    }
    if (request.getReceiptsCount() > 0) {
      records.add(new MetadataRecord.ReceiptsReported(name, receipts(request)));
    }
    Moves moves = known.moves();
    List<ShuffleMove> applied =
        request.getAppliedMovesList().stream().filter(moves::isPending).distinct().toList();
    if (!applied.isEmpty()) {
      records.add(new MetadataRecord.MovesApplied(name, applied));
      moves = moves.applied(applied);
    }
    return Decision.repeated(
        records,
        renewal(Status.OK, "").toBuilder().addAllMoves(moves.pending(MAX_MOVES_PER_REPLY)).build());
  }

  private static Fallbacks fallbacks(ApplicationReport report) {
    return new Fallbacks(
        Math.max(0, report.getFallbackShuffles()),
        RequestChecks.clipped(report.getLastFallbackReason()));
  }

  private static List<MetadataRecord> notices(String application, ApplicationReport report) {
    List<MetadataRecord> notices = new ArrayList<>();
    if (report.getWrongReceipts() > 0) {
      notices.add(new MetadataRecord.ReceiptsWrong(application, report.getWrongReceipts()));
    }
    if (report.hasTasks()) {
      notices.add(
          new MetadataRecord.TasksReported(application, CheckedTaskReport.of(report.getTasks())));
    }
    return notices;
  }

  /** Negative numbers count as 0; shuffles beyond the limit are ignored. */
  private static Map<Integer, Receipts> receipts(RenewLeaseRequest request) {
    Map<Integer, Receipts> receipts = new HashMap<>();
    for (ShuffleReceipts one : request.getReceiptsList()) {
      if (receipts.size() == MAX_RECEIPTS_PER_APPLICATION) {
        break;
      }
      receipts.put(
          one.getShuffle(),
          new Receipts(
              Math.max(0, one.getRecords()),
              Math.max(0, one.getBytes()),
              Math.max(0, one.getMatched()),
              Math.max(0, one.getWrong())));
    }
    return receipts;
  }

  /** Ends an application. Idempotent; an unknown application is not an error. */
  public Decision<UnregisterApplicationReply> unregister(
      ClusterView view, UnregisterApplicationRequest request, long nowMs) {
    String name = request.getApplication();
    String problem = RequestChecks.application(name);
    if (problem != null) {
      return Decision.unchanged(
          UnregisterApplicationReply.newBuilder()
              .setStatus(Status.BAD_REQUEST)
              .setMessage(problem)
              .build());
    }
    UnregisterApplicationReply done =
        UnregisterApplicationReply.newBuilder().setStatus(Status.OK).build();
    Application known = view.applications().get(name);
    if (known != null && known.state() == Application.State.ENDED) {
      return Decision.unchanged(done);
    }
    Application last = known == null ? Application.registered(name, "", "", nowMs) : known;
    List<MetadataRecord> records = new ArrayList<>();
    if (request.hasReport()) {
      last = last.reporting(fallbacks(request.getReport()));
      records.addAll(notices(name, request.getReport()));
    }
    records.add(new LoggedChange.ApplicationEnded(last.ended(nowMs)));
    if (view.applications().endedCount() >= policy.maxEndedRemembered()) {
      // The list of ended applications is full: servers get UNKNOWN and delete the data when the
      // lease has expired.
      records.add(new LoggedChange.ApplicationForgotten(name));
    }
    return new Decision<>(records, done);
  }

  /** Returns the reason why an application is not live, or null if it is. */
  String whyUnknown(ClusterView view, String name, long nowMs) {
    Application known = view.applications().get(name);
    if (known == null) {
      return "application " + name + " is not registered with this coordinator: register it first";
    }
    if (known.state() == Application.State.ENDED) {
      return "application " + name + " was unregistered: register it again";
    }
    return known.liveAt(nowMs, policy.leaseMs())
        ? null
        : "the lease of application " + name + " has expired: register it again";
  }

  private int liveApplicationsOf(ClusterView view, String user, long nowMs) {
    int[] count = {0};
    view.applications()
        .forEach(
            application -> {
              if (application.user().equals(user) && application.liveAt(nowMs, policy.leaseMs())) {
                count[0]++;
              }
            });
    return count[0];
  }

  private RenewLeaseReply renewal(Status status, String message) {
    return RenewLeaseReply.newBuilder()
        .setStatus(status)
        .setMessage(message)
        .setLeaseMs(policy.announcedLeaseMs())
        .build();
  }

  private Decision<RegisterApplicationReply> denied(
      RegisterApplicationRequest request, String message) {
    return Decision.of(
        new MetadataRecord.Refused(
            Event.Kind.APPLICATION_DENIED,
            request.getApplication(),
            request.getUser(),
            Status.DENIED,
            message),
        refusedRegistration(Status.DENIED, message).reply());
  }

  private Decision<RegisterApplicationReply> refusedRegistration(Status status, String message) {
    return Decision.unchanged(
        RegisterApplicationReply.newBuilder()
            .setStatus(status)
            .setMessage(message)
            .setLeaseMs(policy.announcedLeaseMs())
            .build());
  }
}
