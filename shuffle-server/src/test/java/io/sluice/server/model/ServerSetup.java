package io.sluice.server.model;

import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import java.util.List;

/**
 * What differs between simulated servers.
 *
 * @param kinds kinds of the directories
 * @param ssdBytes capacity of each SSD; runs move to other disks above 95 % of it
 * @param slabs slabs of memory
 * @param fsync which files survive a crash of the machine
 * @param slowMs maximum time of a call to a disk, in milliseconds; 0: calls take no time
 */
public record ServerSetup(
    List<StorageKind> kinds, long ssdBytes, int slabs, Fsync fsync, int slowMs) {
  public ServerSetup {
    kinds = List.copyOf(kinds);
  }
}
