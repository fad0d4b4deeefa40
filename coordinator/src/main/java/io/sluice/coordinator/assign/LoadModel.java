package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerLoad;
import java.util.List;

/**
 * The load of a server as one number without a unit.
 *
 * <pre>
 * load = memory used / memory + pending spill / memory + disk used / disk   (reported)
 *      + pending partitions * expected bytes of a partition / memory        (expected)
 * </pre>
 *
 * All terms are relative to the capacity of the server, so servers of different sizes fill evenly.
 * Pending partitions were assigned after the last heartbeat and are not part of the reported load.
 * Their blocks use memory first, so they count relative to memory.
 */
final class LoadModel {
  private LoadModel() {}

  /** Reported part of the load, from 0 (idle) to 3. */
  static double reported(Server server) {
    ServerLoad load = server.load();
    double memoryBytes = load.getMemoryCapacityBytes();
    double usedBytes = load.getMemoryUsedBytes();
    double pendingSpillBytes = load.getPendingSpillBytes();
    return share(usedBytes, memoryBytes)
        + share(pendingSpillBytes, memoryBytes)
        + diskUsedShare(load);
  }

  /** Used share of all healthy disks together; 0 if there are none. */
  static double diskUsedShare(ServerLoad load) {
    double capacityBytes = 0;
    double freeBytes = 0;
    for (DiskState disk : load.getDisksList()) {
      if (disk.getHealthy()) {
        capacityBytes += disk.getCapacityBytes();
        freeBytes += disk.getFreeBytes();
      }
    }
    return share(capacityBytes - freeBytes, capacityBytes);
  }

  /**
   * Used share of the storage for shuffles: the healthy disks, or memory if the server has no
   * disks. If it has disks but none is healthy, the share is 1.
   */
  static double storageUsedShare(ServerLoad load) {
    if (load.getDisksCount() > 0) {
      return load.getDisksList().stream().anyMatch(DiskState::getHealthy) ? diskUsedShare(load) : 1;
    }
    double usedBytes = load.getMemoryUsedBytes();
    double capacityBytes = load.getMemoryCapacityBytes();
    return share(usedBytes, capacityBytes);
  }

  /** Reported memory capacity of a server; the mean of all servers if it reports none. */
  static double memoryCapacityBytes(Server server, double meanCapacityBytes) {
    long capacityBytes = server.load().getMemoryCapacityBytes();
    return capacityBytes > 0 ? capacityBytes : meanCapacityBytes;
  }

  /** Mean memory capacity of the servers that report one; 1 GiB if none does. */
  static double meanMemoryCapacityBytes(List<Server> servers) {
    return servers.stream()
        .mapToLong(server -> server.load().getMemoryCapacityBytes())
        .filter(capacityBytes -> capacityBytes > 0)
        .average()
        .orElse(1 << 30);
  }

  private static double share(double part, double whole) {
    return whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));
  }
}
