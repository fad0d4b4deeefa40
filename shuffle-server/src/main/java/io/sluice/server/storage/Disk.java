package io.sluice.server.storage;

import io.sluice.server.catalog.RunCatalog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage with what is known of its state: how full it is and whether writing to it works.
 *
 * <p>Full above the high mark until below the low mark. Bad after some failures in a row, until a
 * write succeeds; it is tried again now and then. Thread-safe.
 */
public final class Disk {
  private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

  /** Asking the file system costs microseconds; once a second is often enough between writes. */
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Storage storage;
  private final RunCatalog catalog;
  private final DiskLimits limits;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private long capacityBytes;
  private long freeBytes;
  private boolean full;
  private boolean unreadable;
  private int failures;
  private long notBeforeNanos;
  private long refreshedNanos;

  public Disk(Storage storage, RunCatalog catalog, DiskLimits limits, LongSupplier nanoTime) {
    this.storage = storage;
    this.catalog = catalog;
    this.limits = limits;
    this.nanoTime = nanoTime;
    refreshNow();
  }

  public Storage storage() {
    return storage;
  }

  /** Which runs the storage holds; only the disk's own threads may call it. */
  public RunCatalog catalog() {
    return catalog;
  }

  public String name() {
    return storage.name();
  }

  public StorageKind kind() {
    return storage.kind();
  }

  public synchronized long capacityBytes() {
    refresh();
    return capacityBytes;
  }

  public synchronized long freeBytes() {
    refresh();
    return freeBytes;
  }

  /** Whether it takes data as far as is known: neither bad nor full. */
  public synchronized boolean isHealthy() {
    refresh();
    return failures < limits.failuresUntilBad() && !full && !unreadable;
  }

  /** Whether the last write to it failed: others are better while they have time. */
  public synchronized boolean isDoubtful() {
    return failures > 0;
  }

  /** Whether {@code bytes} may be written to it now; a bad disk gets its next chance here. */
  public synchronized boolean mayWrite(long bytes) {
    refresh();
    return !full
        && !unreadable
        && freeBytes >= bytes
        && (failures == 0 || nanoTime.getAsLong() - notBeforeNanos >= 0);
  }

  public synchronized void writeSucceeded() {
    if (failures >= limits.failuresUntilBad()) {
      LOG.info("disk works again disk={}", name());
    }
    failures = 0;
    refreshNow();
  }

  public synchronized void writeFailed(Throwable problem) {
    failures++;
    boolean bad = failures >= limits.failuresUntilBad();
    long pauseMs = bad ? limits.badRetryMs() : limits.retryMs();
    notBeforeNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(pauseMs);
    if (failures <= limits.failuresUntilBad()) {
      LOG.warn(
          "disk write failed disk={} failuresInARow={} bad={} problem={}",
          name(),
          failures,
          bad,
          String.valueOf(problem));
    }
    refreshNow();
  }

  private void refresh() {
    if (nanoTime.getAsLong() - refreshedNanos >= REFRESH_NANOS) {
      refreshNow();
    }
  }

  private void refreshNow() {
    refreshedNanos = nanoTime.getAsLong();
    try {
      capacityBytes = storage.capacityBytes();
      freeBytes = storage.freeBytes();
      unreadable = false;
    } catch (IOException e) {
      if (!unreadable) {
        LOG.warn("disk does not say how full it is disk={} problem={}", name(), e.toString());
      }
      unreadable = true;
      return;
    }
    double usedPercent =
        capacityBytes == 0 ? 100 : 100.0 * (capacityBytes - freeBytes) / capacityBytes;
    boolean nowFull =
        full ? usedPercent >= limits.lowPercent() : usedPercent >= limits.highPercent();
    if (nowFull != full) {
      LOG.warn(
          "disk {} disk={} freeBytes={} capacityBytes={}",
          nowFull ? "is full" : "has room again",
          name(),
          freeBytes,
          capacityBytes);
    }
    full = nowFull;
  }
}
