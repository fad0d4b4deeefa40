package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerLoad;

/**
 * How loaded a server is, as one number without a unit.
 *
 * <pre>
 * load = memory used / memory + pending spill / memory + disk used / disk            (what it reported)
 *      + partitions pending / (its fair share of the partitions pending everywhere)  (what it will get)
 * </pre>
 *
 * The three reported terms are shares, so servers of different sizes fill up together. Pending
 * partitions are those handed out too recently to show in the report ({@link
 * Server#assignedPending}). How many bytes they will bring nobody knows; measured against a fair
 * share, no guess is needed: 1 means "has been handed as much as its size asks for", and outweighs
 * one resource that is full. A fair share is by memory, because memory is what arriving blocks need
 * first.
 */
final class LoadModel {
  private LoadModel() {}

  /** The part of the load that the server reported: 0 idle, up to 3. */
  static double reported(Server server) {
    ServerLoad load = server.load();
    double memory = share(load.getMemoryUsedBytes(), load.getMemoryCapacityBytes());
    double pendingSpill = share(load.getPendingSpillBytes(), load.getMemoryCapacityBytes());
    return memory + pendingSpill + diskUsedShare(load);
  }

  /** Used share of the healthy disks taken together; 0 without any. */
  static double diskUsedShare(ServerLoad load) {
    long capacityBytes = 0;
    long freeBytes = 0;
    for (DiskState disk : load.getDisksList()) {
      if (disk.getHealthy()) {
        capacityBytes += disk.getCapacityBytes();
        freeBytes += disk.getFreeBytes();
      }
    }
    return share(capacityBytes - freeBytes, capacityBytes);
  }

  /**
   * Used share of what the server keeps shuffles in: its disks, or its memory if it has no disks.
   */
  static double storageUsedShare(ServerLoad load) {
    return load.getDisksCount() == 0
        ? share(load.getMemoryUsedBytes(), load.getMemoryCapacityBytes())
        : diskUsedShare(load);
  }

  private static double share(long part, long whole) {
    return whole <= 0 ? 0 : Math.min(1, Math.max(0, part / (double) whole));
  }
}
