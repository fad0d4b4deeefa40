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
 * Has every directory's catalog remember the shuffles that were forgotten, on the disks' own
 * threads, before their runs go: so that late pushes are refused in later lives too, and a
 * directory that was away does not bring a shuffle back. Thread-safe.
 */
public final class ForgottenShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(ForgottenShuffles.class);

  private final List<Disk> disks;
  private final RunFiles files;
  private final Clock clock;
  private final int maxWaiting;

  // Shuffles of each disk that its thread has not reached yet.
  @GuardedBy("this")
  private final Map<Disk, List<Tombstone>> waiting = new HashMap<>();

  /**
   * @param maxWaiting tombstones that wait for a disk; while it hangs, further ones are dropped
   */
  public ForgottenShuffles(List<Disk> disks, RunFiles files, Clock clock, int maxWaiting) {
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
        files.onThreadOf(disk, () -> bury(disk));
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

  private void bury(Disk disk) {
    List<Tombstone> tombstones;
    synchronized (this) {
      tombstones = waiting.remove(disk);
    }
    try {
      disk.catalog().bury(tombstones);
    } catch (IOException e) {
      LOG.warn(
          "forgotten shuffles not noted disk={} shuffles={} problem={}",
          disk.name(),
          tombstones.size(),
          e.toString());
    }
  }
}
