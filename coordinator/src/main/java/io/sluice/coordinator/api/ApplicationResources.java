package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.AssignedShuffle;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Applications and their shuffles as resources. Pure functions of the state and the history. */
final class ApplicationResources {
  private final Supplier<ServerTableConfig> servers;
  private final Supplier<ApplicationConfig> policy;
  private final ClusterHistory history;

  ApplicationResources(
      Supplier<ServerTableConfig> servers,
      Supplier<ApplicationConfig> policy,
      ClusterHistory history) {
    this.servers = servers;
    this.policy = policy;
    this.history = history;
  }

  /** Live ones first, then by name; ended ones while they are remembered. */
  Resource.Applications applications(RequestState moment) {
    StoredDataIndex held =
        new StoredDataIndex(moment.view(), servers.get(), moment.nowMs(), name -> true);
    List<Resource.Application> all = new ArrayList<>();
    moment
        .view()
        .applications()
        .forEach(application -> all.add(application(application, held, moment)));
    all.sort(
        Comparator.comparing(
                (Resource.Application application) -> application.state().equals("ENDED"))
            .thenComparing(Resource.Application::name));
    return new Resource.Applications(moment.time(), all);
  }

  Optional<Resource> detail(RequestState moment, String name) {
    Application application = moment.view().applications().get(name);
    if (application == null) {
      return Optional.empty();
    }
    StoredDataIndex held = held(moment, name);
    List<Resource.Holder> holders =
        held.application(name).stream()
            .map(
                part ->
                    new Resource.Holder(
                        part.server().name(),
                        part.load().getShuffles(),
                        part.load().getStoredBytes()))
            .toList();
    return Optional.of(
        new Resource.ApplicationDetail(
            moment.time(), application(application, held, moment), holders));
  }

  Optional<Resource> shuffles(RequestState moment, String name) {
    if (moment.view().applications().get(name) == null) {
      return Optional.empty();
    }
    StoredDataIndex held = held(moment, name);
    return Optional.of(
        new Resource.Shuffles(
            moment.time(),
            known(name, held).entrySet().stream()
                .map(entry -> shuffle(name, entry.getKey(), entry.getValue(), held, moment))
                .toList()));
  }

  Optional<Resource> shuffle(RequestState moment, String name, int number) {
    if (moment.view().applications().get(name) == null) {
      return Optional.empty();
    }
    StoredDataIndex held = held(moment, name);
    Map<Integer, Optional<AssignedShuffle>> known = known(name, held);
    Optional<AssignedShuffle> assigned = known.get(number);
    if (assigned == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Resource.ShuffleDetail(
            moment.time(),
            shuffle(name, number, assigned, held, moment),
            shares(assigned, held.shuffles(name).getOrDefault(number, List.of()), moment)));
  }

  private StoredDataIndex held(RequestState moment, String application) {
    return new StoredDataIndex(moment.view(), servers.get(), moment.nowMs(), application::equals);
  }

  /** Shuffles that this coordinator assigned, and those that servers hold all the same. */
  private Map<Integer, Optional<AssignedShuffle>> known(String application, StoredDataIndex held) {
    Map<Integer, Optional<AssignedShuffle>> known = new TreeMap<>();
    held.shuffles(application).keySet().forEach(number -> known.put(number, Optional.empty()));
    history
        .shuffles()
        .of(application)
        .forEach(assigned -> known.put(assigned.shuffle(), Optional.of(assigned)));
    return known;
  }

  private Resource.Application application(
      Application application, StoredDataIndex held, RequestState moment) {
    String name = application.name();
    boolean live = application.liveAt(moment.nowMs(), policy.get().leaseMs());
    return new Resource.Application(
        name,
        application.user(),
        application.clientVersion(),
        live ? "LIVE" : application.state() == Application.State.LIVE ? "EXPIRED" : "ENDED",
        new Resource.Lease(
            moment.nowMs() - application.registeredAtMs(),
            application.leaseRemainingMs(moment.nowMs(), policy.get().leaseMs())),
        application.shuffleCount(),
        held.application(name).stream().mapToLong(part -> part.load().getStoredBytes()).sum(),
        held.application(name).size(),
        new Resource.FallbackSummary(
            application.fallbacks().shuffles(), application.fallbacks().lastReason()),
        held.shuffles(name).values().stream()
            .map(StoredDataIndex::skew)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null));
  }

  private static Resource.Shuffle shuffle(
      String application,
      int number,
      Optional<AssignedShuffle> assigned,
      StoredDataIndex held,
      RequestState moment) {
    List<StoredDataIndex.OfShuffle> parts =
        held.shuffles(application).getOrDefault(number, List.of());
    long stored = parts.stream().mapToLong(part -> part.load().getStoredBytes()).sum();
    long largest =
        parts.stream().mapToLong(part -> part.load().getLargestPartitionBytes()).max().orElse(0);
    int written = parts.stream().mapToInt(part -> part.load().getPartitions()).sum();
    return new Resource.Shuffle(
        application,
        number,
        assigned.map(AssignedShuffle::partitions).orElse(written),
        assigned.map(AssignedShuffle::replicas).orElse(0),
        assigned.map(AssignedShuffle::assignments).orElse(0),
        assigned.map(known -> moment.time() - known.assignedAt().toEpochMilli()).orElse(null),
        assigned.map(known -> known.partitionsByServer().size()).orElse(parts.size()),
        stored,
        largest,
        StoredDataIndex.skew(parts));
  }

  private List<Resource.Share> shares(
      Optional<AssignedShuffle> assigned,
      List<StoredDataIndex.OfShuffle> parts,
      RequestState moment) {
    Map<String, ShuffleLoad> loads = new HashMap<>();
    parts.forEach(part -> loads.put(part.server().name(), part.load()));
    TreeMap<String, Integer> partitions = new TreeMap<>();
    loads.keySet().forEach(server -> partitions.put(server, 0));
    assigned.ifPresent(known -> partitions.putAll(known.partitionsByServer()));
    List<Resource.Share> shares = new ArrayList<>();
    partitions.forEach(
        (name, count) -> {
          ShuffleLoad load = loads.getOrDefault(name, ShuffleLoad.getDefaultInstance());
          shares.add(
              new Resource.Share(
                  name,
                  state(name, moment).name(),
                  count,
                  load.getPartitions(),
                  load.getStoredBytes(),
                  load.getLargestPartitionBytes()));
        });
    return shares;
  }

  private ServerState state(String name, RequestState moment) {
    Server server = moment.view().servers().get(name);
    return server == null
        ? ServerState.SERVER_LOST
        : server.stateAt(moment.nowMs(), servers.get().lostAfterMs(), moment.view().excluded());
  }
}
