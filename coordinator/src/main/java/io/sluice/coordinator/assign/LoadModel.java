package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerLoad;
import java.util.List;

/**
 * How loaded a server is, as one number without a unit.
 *
 * <pre>
 * load = memory used / memory + pending spill / memory + disk used / disk   (what it reported)
 *      + partitions pending * expected bytes of a partition / memory        (what it will get)
 * </pre>
 *
 * All terms are shares of what a server has, so servers of different sizes fill up together.
 * Pending partitions are those assigned since the last heartbeat, which the report cannot show;
 * memory is what their blocks need first, so they are set against it.
 */
final class LoadModel {
  private LoadModel() {}

  /** The part of the load that the server reported: 0 idle, up to 3. */
  static double reported(Server server) {
    ServerLoad load = server.load();
    double memoryBytes = load.getMemoryCapacityBytes();
    double usedBytes = load.getMemoryUsedBytes();
    double pendingSpillBytes = load.getPendingSpillBytes();
    return share(usedBytes, memoryBytes)
        + share(pendingSpillBytes, memoryBytes)
        + diskUsedShare(load);
  }

  /** Used share of the healthy disks taken together; 0 without any. */
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

  /** Used share of what the server keeps shuffles in: its disks, or its memory without any. */
  static double storageUsedShare(ServerLoad load) {
    if (load.getDisksCount() > 0) {
      return diskUsedShare(load);
    }
    double usedBytes = load.getMemoryUsedBytes();
    double capacityBytes = load.getMemoryCapacityBytes();
    return share(usedBytes, capacityBytes);
  }

  /** Memory that the server says it has, or the mean of all for one that does not say. */
  static double memoryCapacityBytes(Server server, double meanCapacityBytes) {
    long capacityBytes = server.load().getMemoryCapacityBytes();
    return capacityBytes > 0 ? capacityBytes : meanCapacityBytes;
  }

  /** Mean over the servers that say what they have; 1 GiB if none does. */
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
