package io.sluice.server.recovery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes tombstones of deleted shuffles to the catalog of every directory, on the disks' threads,
 * before their runs are deleted. So late pushes are refused after a restart too, and a directory
 * that was absent does not restore a deleted shuffle. Thread-safe.
 */
public final class TombstoneWriter {
  private static final Logger LOG = LoggerFactory.getLogger(TombstoneWriter.class);

  private final List<Disk> disks;
  private final RunFiles files;
  private final Clock clock;
  private final int maxWaiting;

  // Tombstones that wait for the thread of each disk.
  @GuardedBy("this")
  private final Map<Disk, List<Tombstone>> waiting = new HashMap<>();

  /**
   * @param maxWaiting maximum number of tombstones that wait for one disk; while it hangs, more are
   *     dropped
   */
  public TombstoneWriter(List<Disk> disks, RunFiles files, Clock clock, int maxWaiting) {
    this.disks = List.copyOf(disks);
    this.files = files;
    this.clock = clock;
    this.maxWaiting = maxWaiting;
  }

  /** Returns at once. */
  public void add(List<ShuffleKey> shuffles) {
    long nowMs = clock.millis();
    List<Tombstone> tombstones =
        shuffles.stream().map(shuffle -> new Tombstone(shuffle, nowMs)).toList();
    for (Disk disk : disks) {
      if (isFirst(disk, tombstones)) {
        files.onThreadOf(disk, () -> addTombstones(disk));
      }
    }
  }

  private synchronized boolean isFirst(Disk disk, List<Tombstone> tombstones) {
    List<Tombstone> its = waiting.get(disk);
    if (its == null) {
      waiting.put(disk, new ArrayList<>(tombstones));
      return true;
    }
    if (its.size() + tombstones.size() <= maxWaiting) {
      its.addAll(tombstones);
    }
    return false;
  }

  private void addTombstones(Disk disk) {
    List<Tombstone> tombstones;
    synchronized (this) {
      tombstones = waiting.remove(disk);
    }
    try {
      disk.catalog().addTombstones(tombstones);
    } catch (IOException e) {
      LOG.warn(
          "tombstones of deleted shuffles not written disk={} shuffles={} problem={}",
          disk.name(),
          tombstones.size(),
          e.toString());
    }
  }
}
