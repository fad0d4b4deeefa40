package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.Page;
import io.sluice.coordinator.history.Throughput;
import io.sluice.coordinator.history.ThroughputHistory;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.metrics.BuildInfo;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** Read operations of the REST API. Thread-safe. */
public final class ClusterApi {
  /** States that are listed even if no server is in them. */
  private static final List<ServerState> STATES =
      List.of(
          ServerState.ACTIVE,
          ServerState.SERVER_DRAINING,
          ServerState.UNHEALTHY,
          ServerState.EXCLUDED,
          ServerState.SERVER_LOST);

  private final StateOwner owner;
  private final ClusterHistory history;
  private final Supplier<ApplicationConfig> policy;
  private final ServerResources servers;
  private final ApplicationResources applications;
  private final ExplanationResources explanations;
  private final QuotaResources quotas;
  private final BooleanSupplier ready;
  private final Clock clock;
  private final String version;

  /**
   * @param servers current configuration of servers, called for each request
   * @param applications current configuration of applications, called for each request
   * @param clock wall clock, for times shown to users
   */
  public ClusterApi(
      StateOwner owner,
      ClusterHistory history,
      Supplier<ServerTableConfig> servers,
      Supplier<ApplicationConfig> applications,
      Quotas quotas,
      BooleanSupplier ready,
      Clock clock) {
    this.owner = owner;
    this.history = history;
    this.policy = applications;
    this.servers = new ServerResources(servers, history);
    this.applications = new ApplicationResources(servers, applications, history);
    this.explanations = new ExplanationResources(servers, history);
    this.quotas = new QuotaResources(quotas);
    this.ready = ready;
    this.clock = clock;
    this.version = BuildInfo.ofThisProcess().version();
  }

  Resource cluster() {
    RequestState request = now();
    Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
    STATES.forEach(state -> counts.put(state, 0));
    Sums sums = new Sums();
    for (Server server : request.view().servers().all()) {
      ServerState state = servers.state(server, request);
      counts.merge(state, 1, Integer::sum);
      if (state != ServerState.SERVER_LOST) {
        sums.add(server.load());
      }
    }
    int[] live = new int[2];
    request.view().applications().forEach(application -> count(application, request, live));
    Map<String, Integer> byState = new TreeMap<>();
    counts.forEach((state, count) -> byState.put(state.name(), count));
    return new Resource.Cluster(
        version,
        request.time(),
        request.nowMs() - request.view().startedAtMs(),
        ready.getAsBoolean(),
        byState,
        new Resource.ApplicationTotals(live[0], request.view().assignments(), live[1]),
        new Resource.Memory(sums.memoryUsed, sums.memoryCapacity, sums.pendingSpill),
        new Resource.DiskSpace(sums.diskCapacity, sums.diskFree),
        new Resource.Storage(sums.badDisks, sums.stored),
        new Resource.Traffic(sums.connections, sums.push, sums.fetch));
  }

  Resource servers() {
    return servers.servers(now());
  }

  Optional<Resource> server(String name) {
    return servers.detail(now(), name);
  }

  Resource balance() {
    return servers.balance(now());
  }

  Resource scale() {
    return servers.scale(now());
  }

  Resource quotas() {
    return quotas.quotas(now());
  }

  Resource applications() {
    return applications.applications(now());
  }

  Optional<Resource> application(String name) {
    return applications.detail(now(), name);
  }

  Optional<Resource> explanation(String application) {
    return explanations.of(now(), application);
  }

  Optional<Resource> shuffles(String application) {
    return applications.shuffles(now(), application);
  }

  Optional<Resource> shuffle(String application, int shuffle) {
    return applications.shuffle(now(), application, shuffle);
  }

  /**
   * Returns a page of finished applications, newest first.
   *
   * @param before return only applications with a lower number
   * @param user return only applications of this user; empty: of any
   * @param contains return only applications whose name or user contains this text
   */
  Resource finishedApplications(int max, long before, String user, String contains) {
    return applications.finished(now(), max, before, user, contains);
  }

  /**
   * Returns a page of events, newest first.
   *
   * @param after return only events with a higher number
   * @param before return only events with a lower number
   * @param server return only events of this server; empty: of any
   * @param application return only events of this application; empty: of any
   */
  Resource events(int max, long after, long before, String server, String application) {
    Page<ClusterEvent> page =
        history
            .events()
            .page(
                max,
                event ->
                    event.number() > after
                        && event.number() < before
                        && (server.isEmpty() || event.event().server().equals(server))
                        && (application.isEmpty()
                            || event.event().application().equals(application)));
    return new Resource.Events(
        clock.millis(),
        page.entries().stream().map(ClusterApi::event).toList(),
        page.next().isPresent() ? page.next().getAsLong() : null);
  }

  Resource throughput() {
    return throughput(null, history.throughput().cluster());
  }

  Optional<Resource> throughput(String server) {
    return owner.view().servers().get(server) == null
        ? Optional.empty()
        : Optional.of(throughput(server, history.throughput().server(server)));
  }

  private RequestState now() {
    // Read the view before the clock: otherwise a heartbeat in between would have a negative age.
    ClusterView view = owner.view();
    return new RequestState(view, owner.nowMs(), clock.millis());
  }

  private void count(Application application, RequestState request, int[] live) {
    if (application.liveAt(request.nowMs(), policy.get().leaseMs())) {
      live[0]++;
      live[1] += application.fallbacks().shuffles();
    }
  }

  private Resource throughput(String server, List<Throughput> samples) {
    return new Resource.Throughput(
        clock.millis(),
        ThroughputHistory.INTERVAL_MS,
        server,
        column(samples, Throughput::atMs),
        column(samples, Throughput::pushBytesPerSecond),
        column(samples, Throughput::fetchBytesPerSecond),
        column(samples, Throughput::storedBytes),
        column(samples, Throughput::memoryUsedBytes));
  }

  private static List<Long> column(List<Throughput> samples, Function<Throughput, Long> value) {
    return samples.stream().map(value).toList();
  }

  private static Resource.Event event(ClusterEvent event) {
    return new Resource.Event(
        event.number(),
        event.first().toEpochMilli(),
        event.last().toEpochMilli(),
        event.count(),
        event.event().level().name(),
        event.event().kind().name(),
        event.event().server(),
        event.event().application(),
        event.event().text());
  }

  /** Totals over servers. */
  private static final class Sums {
    private long memoryUsed;
    private long memoryCapacity;
    private long pendingSpill;
    private long diskCapacity;
    private long diskFree;
    private int badDisks;
    private long stored;
    private long push;
    private long fetch;
    private int connections;

    void add(ServerLoad load) {
      memoryUsed += load.getMemoryUsedBytes();
      memoryCapacity += load.getMemoryCapacityBytes();
      pendingSpill += load.getPendingSpillBytes();
      Resource.DiskSpace space = ServerResources.space(load);
      diskCapacity += space.capacityBytes();
      diskFree += space.freeBytes();
      for (DiskState disk : load.getDisksList()) {
        badDisks += ServerResources.isBad(disk) ? 1 : 0;
      }
      stored += load.getStoredBytes();
      push += load.getPushBytesPerSecond();
      fetch += load.getFetchBytesPerSecond();
      connections += load.getConnections();
    }
  }
}
