package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.history.AssignedShuffle;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.Page;
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

/** Resources of applications and shuffles. Pure functions of the state and the history. */
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

  /** Returns all applications: live before ended ones, then by name. */
  Resource.Applications applications(RequestState request) {
    StoredDataIndex stored =
        new StoredDataIndex(request.view(), servers.get(), request.nowMs(), name -> true);
    List<Resource.Application> all = new ArrayList<>();
    request
        .view()
        .applications()
        .forEach(application -> all.add(application(application, stored, request)));
    all.sort(
        Comparator.comparing(
                (Resource.Application application) -> application.state().equals("ENDED"))
            .thenComparing(Resource.Application::name));
    return new Resource.Applications(request.time(), all);
  }

  /** Returns a page of finished applications, newest first; see {@link ClusterApi}. */
  Resource.FinishedApplications finished(
      RequestState request, int max, long before, String user, String contains) {
    Page<FinishedApplication> page =
        history
            .finished()
            .page(
                max,
                before,
                finished ->
                    (user.isEmpty() || finished.user().equals(user))
                        && (finished.name().contains(contains)
                            || finished.user().contains(contains)));
    return new Resource.FinishedApplications(
        request.time(),
        page.entries().stream().map(ApplicationResources::row).toList(),
        page.next().isPresent() ? page.next().getAsLong() : null);
  }

  private static Resource.FinishedApplication row(FinishedApplication finished) {
    TaskReport.Bytes bytes = finished.tasks().orElse(TaskReport.NONE).bytes();
    return new Resource.FinishedApplication(
        finished.number(),
        finished.name(),
        finished.user(),
        finished.clientVersion(),
        finished.outcome().name(),
        finished.finishedAt().toEpochMilli(),
        finished.durationMs(),
        finished.shuffles(),
        summary(finished.fallbacks()),
        finished.tasks().isPresent(),
        new Resource.Transferred(
            bytes.pushed(), bytes.localWritten(), bytes.read(), bytes.localRead()));
  }

  private static Resource.FallbackSummary summary(Fallbacks fallbacks) {
    return new Resource.FallbackSummary(fallbacks.shuffles(), fallbacks.lastReason());
  }

  /** Returns an application that is known, or else the latest finished one of that name. */
  Optional<Resource> detail(RequestState request, String name) {
    Application application = request.view().applications().get(name);
    if (application == null) {
      return history
          .finished()
          .latest(name)
          .map(
              finished ->
                  new Resource.ApplicationDetail(
                      request.time(), application(finished, request), List.of()));
    }
    StoredDataIndex stored = stored(request, name);
    List<Resource.ApplicationServer> servers =
        stored.application(name).stream()
            .map(
                part ->
                    new Resource.ApplicationServer(
                        part.server().name(),
                        part.load().getShuffles(),
                        part.load().getStoredBytes()))
            .toList();
    return Optional.of(
        new Resource.ApplicationDetail(
            request.time(), application(application, stored, request), servers));
  }

  private static Resource.Application application(
      FinishedApplication finished, RequestState request) {
    return new Resource.Application(
        finished.name(),
        finished.user(),
        finished.clientVersion(),
        finished.outcome().name(),
        new Resource.Lease(
            request.time() - finished.finishedAt().toEpochMilli() + finished.durationMs(), 0),
        finished.shuffles(),
        0,
        0,
        summary(finished.fallbacks()),
        null);
  }

  /** Returns the shuffles of an application; none if it has finished and left the state. */
  Optional<Resource> shuffles(RequestState request, String name) {
    if (request.view().applications().get(name) == null) {
      return history
          .finished()
          .latest(name)
          .map(unused -> new Resource.Shuffles(request.time(), List.of()));
    }
    StoredDataIndex stored = stored(request, name);
    return Optional.of(
        new Resource.Shuffles(
            request.time(),
            known(name, stored).entrySet().stream()
                .map(entry -> shuffle(name, entry.getKey(), entry.getValue(), stored, request))
                .toList()));
  }

  Optional<Resource> shuffle(RequestState request, String name, int number) {
    if (request.view().applications().get(name) == null) {
      return Optional.empty();
    }
    StoredDataIndex stored = stored(request, name);
    Map<Integer, Optional<AssignedShuffle>> known = known(name, stored);
    Optional<AssignedShuffle> assigned = known.get(number);
    if (assigned == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Resource.ShuffleDetail(
            request.time(),
            shuffle(name, number, assigned, stored, request),
            shares(assigned, stored.shuffles(name).getOrDefault(number, List.of()), request)));
  }

  private StoredDataIndex stored(RequestState request, String application) {
    return new StoredDataIndex(request.view(), servers.get(), request.nowMs(), application::equals);
  }

  /** Shuffles that this coordinator assigned, and others that servers report. */
  private Map<Integer, Optional<AssignedShuffle>> known(
      String application, StoredDataIndex stored) {
    Map<Integer, Optional<AssignedShuffle>> known = new TreeMap<>();
    stored.shuffles(application).keySet().forEach(number -> known.put(number, Optional.empty()));
    history
        .shuffles()
        .of(application)
        .forEach(assigned -> known.put(assigned.shuffle(), Optional.of(assigned)));
    return known;
  }

  private Resource.Application application(
      Application application, StoredDataIndex stored, RequestState request) {
    String name = application.name();
    boolean live = application.liveAt(request.nowMs(), policy.get().leaseMs());
    return new Resource.Application(
        name,
        application.user(),
        application.clientVersion(),
        live ? "LIVE" : application.state() == Application.State.LIVE ? "EXPIRED" : "ENDED",
        new Resource.Lease(
            request.nowMs() - application.registeredAtMs(),
            application.leaseRemainingMs(request.nowMs(), policy.get().leaseMs())),
        application.shuffleCount(),
        stored.application(name).stream().mapToLong(part -> part.load().getStoredBytes()).sum(),
        stored.application(name).size(),
        summary(application.fallbacks()),
        stored.shuffles(name).values().stream()
            .map(StoredDataIndex::skew)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null));
  }

  private Resource.Shuffle shuffle(
      String application,
      int number,
      Optional<AssignedShuffle> assigned,
      StoredDataIndex stored,
      RequestState request) {
    List<StoredDataIndex.OfShuffle> parts =
        stored.shuffles(application).getOrDefault(number, List.of());
    long storedBytes = parts.stream().mapToLong(part -> part.load().getStoredBytes()).sum();
    long largest =
        parts.stream().mapToLong(part -> part.load().getLargestPartitionBytes()).max().orElse(0);
    int written = parts.stream().mapToInt(part -> part.load().getPartitions()).sum();
    return new Resource.Shuffle(
        application,
        number,
        assigned.map(AssignedShuffle::partitions).orElse(written),
        assigned.map(AssignedShuffle::replicas).orElse(0),
        assigned.map(AssignedShuffle::assignments).orElse(0),
        assigned.map(known -> request.time() - known.assignedAt().toEpochMilli()).orElse(null),
        assigned.map(known -> known.partitionsByServer().size()).orElse(parts.size()),
        storedBytes,
        largest,
        StoredDataIndex.skew(parts),
        history
            .shuffles()
            .receipts(application, number)
            .map(
                found ->
                    new Resource.Receipts(
                        found.records(), found.bytes(), found.matched(), found.wrong()))
            .orElse(null));
  }

  private List<Resource.Share> shares(
      Optional<AssignedShuffle> assigned,
      List<StoredDataIndex.OfShuffle> parts,
      RequestState request) {
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
                  state(name, request).name(),
                  count,
                  load.getPartitions(),
                  load.getStoredBytes(),
                  load.getLargestPartitionBytes()));
        });
    return shares;
  }

  private ServerState state(String name, RequestState request) {
    Server server = request.view().servers().get(name);
    return server == null
        ? ServerState.SERVER_LOST
        : server.stateAt(request.nowMs(), servers.get().lostAfterMs(), request.view().excluded());
  }
}
