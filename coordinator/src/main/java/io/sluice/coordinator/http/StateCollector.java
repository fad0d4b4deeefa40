package io.sluice.coordinator.http;

import io.prometheus.client.Collector;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationTable;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.ScaleAdvice;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.Usage;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.metrics.LargestTenants;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Computes gauges from the published state at each scrape. Thread-safe. */
public final class StateCollector extends Collector {
  /**
   * Maximum number of users with separate label values; all others are summed up as {@code other}.
   */
  static final int MAX_USER_ROWS = 20;

  /** Label values of server states. */
  private static final List<ServerState> STATES =
      List.of(
          ServerState.ACTIVE,
          ServerState.SERVER_DRAINING,
          ServerState.SERVER_LOST,
          ServerState.EXCLUDED,
          ServerState.UNHEALTHY);

  /** Number of servers or applications in a state. */
  private record Count(String state, long count) {}

  private static final MetricTable<Count> SERVERS =
      MetricTable.<Count>of(
              CoordinatorMetrics.PREFIX, List.of("state"), count -> List.of(count.state))
          .gauge("servers", "Known shuffle servers, by state", Count::count)
          .build();

  private static final MetricTable<Count> APPLICATIONS =
      MetricTable.<Count>of(
              CoordinatorMetrics.PREFIX, List.of("state"), count -> List.of(count.state))
          .gauge("applications", "Known applications, by state", Count::count)
          .build();

  /** Reasons of fallbacks that drivers report; all others are summed up as {@code OTHER}. */
  private static final Set<String> FALLBACK_REASONS =
      Set.of("NO_COORDINATOR", "NO_SERVERS", "DENIED", "UNSUPPORTED");

  /** Shuffles that fell back, with the latest reason of their application. */
  private record FellBack(String reason, long shuffles) {}

  private static final MetricTable<FellBack> FALLBACKS =
      MetricTable.<FellBack>of(
              CoordinatorMetrics.PREFIX, List.of("reason"), one -> List.of(one.reason))
          .gauge(
              "fallback_shuffles",
              "Shuffles of live applications that use the built-in shuffle, by the reason of the"
                  + " latest one of their application: NO_COORDINATOR, NO_SERVERS, DENIED,"
                  + " UNSUPPORTED or OTHER",
              FellBack::shuffles)
          .build();

  private static final MetricTable<ScaleAdvice.Need> NEEDS =
      MetricTable.<ScaleAdvice.Need>of(
              CoordinatorMetrics.PREFIX,
              List.of("resource"),
              need -> List.of(need.resource().name()))
          .gauge(
              "needed_servers",
              "Servers that the present data needs, by resource: MEMORY or DISK. The largest"
                  + " one counts for automatic scaling",
              ScaleAdvice.Need::servers)
          .build();

  /** Live applications of a user and their shuffles. */
  private record Running(long applications, long shuffles) {
    Running plus(Running other) {
      return new Running(applications + other.applications, shuffles + other.shuffles);
    }
  }

  private static final MetricTable<Map.Entry<String, Running>> USERS =
      MetricTable.<Map.Entry<String, Running>>of(
              CoordinatorMetrics.PREFIX + "user_",
              List.of("user"),
              entry -> List.of(entry.getKey()))
          .gauge(
              "applications",
              "Live applications by user; the "
                  + MAX_USER_ROWS
                  + " users with the highest number by name, all others as `other`",
              entry -> entry.getValue().applications)
          .gauge(
              "shuffles",
              "Shuffles assigned to live applications, by user",
              entry -> entry.getValue().shuffles)
          .build();

  private static final MetricTable<Map.Entry<String, Usage.Amount>> STORED =
      MetricTable.<Map.Entry<String, Usage.Amount>>of(
              CoordinatorMetrics.PREFIX + "user_",
              List.of("user"),
              entry -> List.of(entry.getKey()))
          .gauge(
              "stored_bytes",
              "Bytes on servers of live applications, by user; the "
                  + MAX_USER_ROWS
                  + " users with the most bytes by name, all others as `other`",
              entry -> entry.getValue().bytes())
          .gauge(
              "stored_partitions",
              "Partitions on servers of live applications, replicas counted, by user",
              entry -> entry.getValue().partitions())
          .build();

  /**
   * The quorum, as this coordinator sees it.
   *
   * @param isKnown whether this coordinator, or one that it knows, decides
   * @param electionsWon elections that this coordinator has won
   */
  public record Quorum(boolean isKnown, long electionsWon) {}

  private record Figures(
      ClusterView view,
      long assignable,
      long storedBytes,
      int queueDepth,
      int overQuota,
      boolean leads,
      Quorum quorum) {}

  private static final MetricTable<Figures> FIGURES =
      MetricTable.<Figures>of(CoordinatorMetrics.PREFIX)
          .gauge(
              "assignable_servers",
              "Servers that are eligible for new partitions",
              Figures::assignable)
          .gauge(
              "excluded_entries",
              "Entries in the list of excluded servers",
              figures -> figures.view.excluded().size())
          .gauge(
              "stored_bytes",
              "Bytes of shuffle data on all servers that are not lost, from their heartbeats",
              Figures::storedBytes)
          .counter(
              "shuffles_assigned_total",
              "Shuffles assigned since the coordinator started",
              figures -> figures.view.assignments())
          .gauge(
              "over_quota_applications",
              "Applications over a quota, whose pushes servers refuse",
              Figures::overQuota)
          .gauge(
              "leads",
              "1 if this coordinator decides; 0 if another one of the quorum does, or none",
              figures -> figures.leads ? 1 : 0)
          .gauge(
              "quorum",
              "1 if this coordinator decides or knows the one that does; 0 if there is no quorum",
              figures -> figures.quorum.isKnown() ? 1 : 0)
          .counter(
              "elections_won_total",
              "Elections that this coordinator won since it started; 0 without a quorum",
              figures -> figures.quorum.electionsWon())
          .gauge("queue_depth", "Calls in the queue of the state thread", Figures::queueDepth)
          .gauge(
              "queue_max",
              "Maximum number of calls in the queue of the state thread",
              unused -> StateOwner.QUEUE_CAPACITY)
          .build();

  private final StateOwner owner;
  private final LongSupplier serverLostAfterMs;
  private final Supplier<Eligibility> eligibility;
  private final Quotas quotas;
  private final Supplier<Quorum> quorum;

  public StateCollector(
      StateOwner owner,
      LongSupplier serverLostAfterMs,
      Supplier<Eligibility> eligibility,
      Quotas quotas,
      Supplier<Quorum> quorum) {
    this.quorum = quorum;
    this.owner = owner;
    this.quotas = quotas;
    this.serverLostAfterMs = serverLostAfterMs;
    this.eligibility = eligibility;
  }

  static List<Metric> metrics() {
    return Stream.of(
            SERVERS.metrics(),
            APPLICATIONS.metrics(),
            FALLBACKS.metrics(),
            NEEDS.metrics(),
            USERS.metrics(),
            STORED.metrics(),
            FIGURES.metrics())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    ClusterView view = owner.view();
    long nowMs = owner.nowMs();
    Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
    long storedBytes = 0;
    long lostAfterMs = serverLostAfterMs.getAsLong();
    for (Server server : view.servers().all()) {
      ServerState state = server.stateAt(nowMs, lostAfterMs, view.excluded());
      counts.merge(state, 1, Integer::sum);
      storedBytes += state == ServerState.SERVER_LOST ? 0 : server.load().getStoredBytes();
    }
    long assignable =
        eligibility
            .get()
            .eligible(view.servers(), view.excluded(), Eligibility.Requirements.NONE, nowMs)
            .size();
    List<MetricFamilySamples> all =
        new ArrayList<>(
            TableCollector.families(
                SERVERS,
                STATES.stream()
                    .map(state -> new Count(state.name(), counts.getOrDefault(state, 0)))
                    .toList()));
    all.addAll(
        TableCollector.families(
            APPLICATIONS,
            List.of(
                new Count("LIVE", view.applications().liveCount()),
                new Count("ENDED", view.applications().endedCount()))));
    all.addAll(TableCollector.families(FALLBACKS, fallbacks(view.applications())));
    all.addAll(
        TableCollector.families(
            NEEDS,
            ScaleAdvice.of(
                view.servers().all(),
                server -> server.stateAt(nowMs, lostAfterMs, view.excluded()))));
    all.addAll(TableCollector.families(USERS, users(view.applications())));
    all.addAll(
        TableCollector.families(
            STORED, List.copyOf(quotas.usage().largestUsers(MAX_USER_ROWS).entrySet())));
    all.addAll(
        TableCollector.families(
            FIGURES,
            List.of(
                new Figures(
                    view,
                    assignable,
                    storedBytes,
                    owner.queueDepth(),
                    quotas.overQuota().size(),
                    owner.leads(),
                    quorum.get()))));
    return all;
  }

  private static List<FellBack> fallbacks(ApplicationTable applications) {
    Map<String, Long> shuffles = new HashMap<>();
    FALLBACK_REASONS.forEach(reason -> shuffles.put(reason, 0L));
    applications.forEach(
        application -> {
          Fallbacks reported = application.fallbacks();
          if (application.state() == Application.State.LIVE && reported.shuffles() > 0) {
            String reason = reported.lastReason().split(":", 2)[0];
            shuffles.merge(
                FALLBACK_REASONS.contains(reason) ? reason : "OTHER",
                (long) reported.shuffles(),
                Long::sum);
          }
        });
    return shuffles.entrySet().stream()
        .map(entry -> new FellBack(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static List<Map.Entry<String, Running>> users(ApplicationTable applications) {
    Map<String, Running> uses = new HashMap<>();
    applications.forEach(
        application -> {
          if (application.state() == Application.State.LIVE) {
            uses.merge(
                application.user(), new Running(1, application.shuffleCount()), Running::plus);
          }
        });
    return List.copyOf(
        LargestTenants.of(uses, MAX_USER_ROWS, Running::applications, Running::plus).entrySet());
  }
}
