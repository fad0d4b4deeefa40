package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.ClusterHistory;
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

/** The resources of the REST API, as they are now. Thread-safe. */
public final class ClusterApi {
  /** States that are counted even where no server is in them. */
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
  private final QuotaResources quotas;
  private final BooleanSupplier ready;
  private final Clock clock;
  private final String version;

  /**
   * @param servers asked anew each time, as are those of applications
   * @param clock of the same moment that the owner's monotonic time tells, for people
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
    this.quotas = new QuotaResources(quotas);
    this.ready = ready;
    this.clock = clock;
    this.version = BuildInfo.ofThisProcess().version();
  }

  Resource cluster() {
    RequestState moment = now();
    Map<ServerState, Integer> counts = new EnumMap<>(ServerState.class);
    STATES.forEach(state -> counts.put(state, 0));
    Sums sums = new Sums();
    for (Server server : moment.view().servers().all()) {
      ServerState state = servers.state(server, moment);
      counts.merge(state, 1, Integer::sum);
      if (state != ServerState.SERVER_LOST) {
        sums.add(server.load());
      }
    }
    int[] live = new int[2];
    moment.view().applications().forEach(application -> count(application, moment, live));
    Map<String, Integer> byState = new TreeMap<>();
    counts.forEach((state, count) -> byState.put(state.name(), count));
    return new Resource.Cluster(
        version,
        moment.time(),
        moment.nowMs() - moment.view().startedAtMs(),
        ready.getAsBoolean(),
        byState,
        new Resource.Work(live[0], moment.view().assignments(), live[1]),
        new Resource.Memory(sums.memoryUsed, sums.memoryCapacity, sums.pendingSpill),
        new Resource.Space(sums.diskCapacity, sums.diskFree),
        new Resource.Kept(sums.badDisks, sums.stored),
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

  Resource quotas() {
    return quotas.quotas(now());
  }

  Resource applications() {
    return applications.applications(now());
  }

  Optional<Resource> application(String name) {
    return applications.detail(now(), name);
  }

  Optional<Resource> shuffles(String application) {
    return applications.shuffles(now(), application);
  }

  Optional<Resource> shuffle(String application, int shuffle) {
    return applications.shuffle(now(), application, shuffle);
  }

  /**
   * The newest events.
   *
   * @param after only events with a higher number
   * @param server only of this one; empty: of any
   * @param application as the former
   */
  Resource events(int most, long after, String server, String application) {
    return new Resource.Events(
        clock.millis(),
        history
            .events()
            .newest(
                most,
                event ->
                    event.number() > after
                        && (server.isEmpty() || event.event().server().equals(server))
                        && (application.isEmpty()
                            || event.event().application().equals(application)))
            .stream()
            .map(ClusterApi::event)
            .toList());
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
    // The view first: a heartbeat that comes in between must not seem to come from the future.
    ClusterView view = owner.view();
    return new RequestState(view, owner.nowMs(), clock.millis());
  }

  private void count(Application application, RequestState moment, int[] live) {
    if (application.liveAt(moment.nowMs(), policy.get().leaseMs())) {
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
      Resource.Space space = ServerResources.space(load);
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
