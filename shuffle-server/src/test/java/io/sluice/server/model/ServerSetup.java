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
 * @param diskBytesPerSecond bandwidth of each disk, which its readers and writers share; 0:
 *     transfers take no time
 * @param heartbeatMs interval of heartbeats, in milliseconds, unless a coordinator sets another
 */
public record ServerSetup(
    List<StorageKind> kinds,
    long ssdBytes,
    int slabs,
    Fsync fsync,
    int slowMs,
    long diskBytesPerSecond,
    long heartbeatMs) {
  public ServerSetup {
    kinds = List.copyOf(kinds);
  }

  /** Whether work on a disk takes time. */
  public boolean takesTime() {
    return slowMs > 0 || isThrottled();
  }

  /** Whether disks have a limited bandwidth. */
  boolean isThrottled() {
    return diskBytesPerSecond > 0;
  }
}
