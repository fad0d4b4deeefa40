package io.sluice.server.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Syncs each disk at an interval, on one thread per disk, so that data survives a crash of the
 * machine: first the run files, then the catalog that lists them. Thread-safe.
 */
public final class DiskSync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSync.class);

  private static final long CLOSE_WAIT_MS = 2_000;

  private final List<DiskThread> threads = new ArrayList<>();

  public DiskSync(List<Disk> disks, long intervalMs) {
    for (Disk disk : disks) {
      threads.add(
          new DiskThread("disk-sync-" + threads.size(), intervalMs, () -> syncLogged(disk)));
    }
  }

  /** Starts the threads. */
  public void start() {
    threads.forEach(DiskThread::start);
  }

  /** Syncs a disk, on the calling thread. */
  public static void sync(Disk disk) throws IOException {
    disk.storage().sync();
    disk.catalog().sync();
  }

  /** Stops the threads; does not wait for a thread whose disk hangs. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(threads, CLOSE_WAIT_MS);
  }

  private static void syncLogged(Disk disk) {
    try {
      sync(disk);
    } catch (IOException e) {
      LOG.warn("disk not synced disk={} problem={}", disk.name(), e.toString());
    }
  }
}
