package io.sluice.coordinator.cluster;

import io.sluice.proto.DiskState;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Number of servers that the present data needs, for people and autoscalers: for each resource, the
 * bytes in use at all servers, divided by what one active server may use. An autoscaler takes the
 * largest number. Network and CPU are not known to coordinators.
 */
public final class ScaleAdvice {
  /** Servers spill from the default high watermark on; above it, pushes begin to wait. */
  private static final double MEMORY_TARGET = 0.75;

  /** Leaves room for merges and for the time until another server has started. */
  private static final double DISK_TARGET = 0.7;

  private static final String REMOTE = "REMOTE";

  /** A resource of servers. */
  public enum Resource {
    MEMORY,
    DISK
  }

  /**
   * Need for one resource.
   *
   * @param usedBytes bytes in use at all servers that are not lost
   * @param serverBytes mean capacity of active servers, or of all if none is active
   * @param target part of the capacity that should be used at most
   * @param servers number of servers for {@code usedBytes}, at least 1; 0 if no server is known
   */
  public record Need(
      Resource resource, long usedBytes, long serverBytes, double target, int servers) {}

  private ScaleAdvice() {}

  /**
   * Computes the need for each resource.
   *
   * @param servers all known servers
   * @param state returns the state of a server
   */
  public static List<Need> of(List<Server> servers, Function<Server, ServerState> state) {
    List<ServerLoad> all =
        servers.stream()
            .filter(server -> state.apply(server) != ServerState.SERVER_LOST)
            .map(Server::load)
            .toList();
    List<ServerLoad> active =
        servers.stream()
            .filter(server -> state.apply(server) == ServerState.ACTIVE)
            .map(Server::load)
            .toList();
    List<ServerLoad> typical = active.isEmpty() ? all : active;
    return List.of(
        need(
            Resource.MEMORY,
            sum(all, ServerLoad::getMemoryUsedBytes),
            mean(typical, ServerLoad::getMemoryCapacityBytes),
            MEMORY_TARGET),
        need(
            Resource.DISK,
            sum(all, load -> disks(load, disk -> disk.getCapacityBytes() - disk.getFreeBytes())),
            mean(typical, load -> disks(load, DiskState::getCapacityBytes)),
            DISK_TARGET));
  }

  private static Need need(Resource resource, long used, long capacity, double target) {
    double servers = capacity == 0 ? 0 : Math.max(1, Math.ceil(used / (capacity * target)));
    return new Need(resource, used, capacity, target, (int) Math.min(servers, Integer.MAX_VALUE));
  }

  private static long disks(ServerLoad load, ToLongFunction<DiskState> bytes) {
    return load.getDisksList().stream()
        .filter(disk -> !disk.getKind().equals(REMOTE))
        .mapToLong(bytes)
        .sum();
  }

  private static long sum(List<ServerLoad> loads, ToLongFunction<ServerLoad> bytes) {
    return loads.stream().mapToLong(bytes).sum();
  }

  private static long mean(List<ServerLoad> loads, ToLongFunction<ServerLoad> bytes) {
    return loads.isEmpty() ? 0 : sum(loads, bytes) / loads.size();
  }
}
