package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ScaleAdvice;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.proto.DiskState;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Resources of servers. Pure functions of the state and the history. */
final class ServerResources {
  private final Supplier<ServerTableConfig> policy;
  private final ClusterHistory history;

  ServerResources(Supplier<ServerTableConfig> policy, ClusterHistory history) {
    this.policy = policy;
    this.history = history;
  }

  Resource.Servers servers(RequestState request) {
    return new Resource.Servers(
        request.time(),
        request.view().servers().all().stream().map(server -> server(server, request)).toList());
  }

  Optional<Resource> detail(RequestState request, String name) {
    Server server = request.view().servers().get(name);
    if (server == null) {
      return Optional.empty();
    }
    List<Resource.StoredApplication> stored =
        server.stored().getApplicationsList().stream()
            .map(
                load ->
                    new Resource.StoredApplication(
                        load.getApplication(), load.getShuffles(), load.getStoredBytes()))
            .toList();
    DecommissionOrder order = request.view().orders().decommission(name);
    return Optional.of(
        new Resource.ServerDetail(
            request.time(),
            server(server, request),
            stored,
            order == null
                ? null
                : new Resource.OrderedDecommission(
                    request.nowMs() - order.orderedAtMs(), order.deadlineMs(), order.move())));
  }

  Resource.Balance balance(RequestState request) {
    List<Resource.BalanceShare> shares = new ArrayList<>();
    long max = 0;
    long sum = 0;
    int active = 0;
    for (Server server : request.view().servers().all()) {
      ServerState state = state(server, request);
      long partitions = history.shuffles().partitionsAssignedTo(server.name());
      if (state == ServerState.ACTIVE) {
        active++;
        sum += partitions;
        max = Math.max(max, partitions);
      }
      ServerLoad load = server.load();
      Resource.DiskSpace space = space(load);
      shares.add(
          new Resource.BalanceShare(
              server.name(),
              state.name(),
              partitions,
              load.getStoredBytes(),
              share(load.getMemoryUsedBytes(), load.getMemoryCapacityBytes()),
              share(space.capacityBytes() - space.freeBytes(), space.capacityBytes())));
    }
    Double maxOverMean = sum == 0 ? null : Math.round(1000.0 * max * active / sum) / 1000.0;
    return new Resource.Balance(request.time(), maxOverMean, shares);
  }

  Resource.Scale scale(RequestState request) {
    List<Server> all = request.view().servers().all();
    List<Resource.ScaleNeed> needs =
        ScaleAdvice.of(all, server -> state(server, request)).stream()
            .map(
                need ->
                    new Resource.ScaleNeed(
                        need.resource().name(),
                        need.usedBytes(),
                        need.serverBytes(),
                        need.target(),
                        need.servers()))
            .toList();
    long active =
        all.stream().filter(server -> state(server, request) == ServerState.ACTIVE).count();
    return new Resource.Scale(
        request.time(),
        (int) active,
        needs.stream().mapToInt(Resource.ScaleNeed::neededServers).max().orElse(0),
        needs);
  }

  ServerState state(Server server, RequestState request) {
    ClusterView view = request.view();
    return server.stateAt(request.nowMs(), policy.get().lostAfterMs(), view.excluded());
  }

  static boolean isBad(DiskState disk) {
    return switch (disk.getHealth()) {
      case HEALTHY -> false;
      case SUSPECT, LOST, RECOVERING -> true;
      case HEALTH_UNSPECIFIED, UNRECOGNIZED -> !disk.getHealthy();
    };
  }

  static Resource.DiskSpace space(ServerLoad load) {
    long capacity = 0;
    long free = 0;
    for (DiskState disk : load.getDisksList()) {
      capacity += disk.getCapacityBytes();
      free += disk.getFreeBytes();
    }
    return new Resource.DiskSpace(capacity, free);
  }

  private Resource.Server server(Server server, RequestState request) {
    ServerLoad load = server.load();
    return new Resource.Server(
        new Resource.Identity(
            server.name(),
            server.id().getHost(),
            server.id().getRpcPort(),
            server.id().getNettyPort(),
            server.id().getEpoch(),
            server.zone()),
        state(server, request).name(),
        server.tags(),
        request.nowMs() - server.heartbeatAtMs(),
        new Resource.Memory(
            load.getMemoryUsedBytes(), load.getMemoryCapacityBytes(), load.getPendingSpillBytes()),
        space(load),
        load.getDisksList().stream().map(ServerResources::disk).toList(),
        new Resource.Traffic(
            load.getConnections(), load.getPushBytesPerSecond(), load.getFetchBytesPerSecond()),
        new Resource.ServerData(
            load.getPendingMerges(),
            load.getStoredBytes(),
            history.shuffles().partitionsAssignedTo(server.name())),
        load.hasMove() ? move(load.getMove()) : null);
  }

  private static Resource.Move move(MoveProgress progress) {
    return new Resource.Move(
        progress.getShufflesLeft(),
        progress.getBytesLeft(),
        progress.getShufflesMoved(),
        progress.getMovedBytes(),
        progress.getWaitsFor());
  }

  private static Resource.Disk disk(DiskState disk) {
    return new Resource.Disk(
        disk.getPath(),
        disk.getKind(),
        disk.getCapacityBytes(),
        disk.getFreeBytes(),
        disk.getHealthy(),
        switch (disk.getHealth()) {
          case HEALTHY -> "HEALTHY";
          case SUSPECT -> "SUSPECT";
          case LOST -> "LOST";
          case RECOVERING -> "RECOVERING";
          case HEALTH_UNSPECIFIED, UNRECOGNIZED -> disk.getHealthy() ? "HEALTHY" : "SUSPECT";
        },
        disk.getCause(),
        disk.getQueueDepth(),
        disk.getWrittenBytes());
  }

  private static double share(long part, long whole) {
    return whole <= 0 ? 0 : Math.round(1000.0 * part / whole) / 1000.0;
  }
}
