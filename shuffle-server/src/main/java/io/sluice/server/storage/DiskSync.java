package io.sluice.server.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what the disks hold outlive a crash of the machine, every so often, each disk on a thread
 * of its own: first the files, then the catalog that says that they are there. Thread-safe.
 */
public final class DiskSync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSync.class);

  private static final long CLOSE_WAIT_MS = 2_000;

  private final List<Disk> disks;
  private final long intervalMs;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();

  public DiskSync(List<Disk> disks, long intervalMs) {
    this.disks = List.copyOf(disks);
    this.intervalMs = intervalMs;
  }

  /** Starts the threads. */
  public synchronized void start() {
    for (Disk disk : disks) {
      Thread thread = new Thread(() -> syncUntilClosed(disk), "disk-sync-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  /** Syncs a disk, on the calling thread. */
  public static void sync(Disk disk) throws IOException {
    disk.storage().sync();
    disk.catalog().sync();
  }

  /** Ends the threads; one whose disk hangs is left alone. Idempotent. */
  @Override
  public synchronized void close() {
    closing.countDown();
    long waitMs = CLOSE_WAIT_MS / Math.max(1, threads.size());
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, waitMs));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void syncUntilClosed(Disk disk) {
    try {
      while (!closing.await(intervalMs, TimeUnit.MILLISECONDS)) {
        try {
          sync(disk);
        } catch (IOException e) {
          LOG.warn("disk not synced disk={} problem={}", disk.name(), e.toString());
        }
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it but the end of the process.
      Thread.currentThread().interrupt();
    }
  }
}
