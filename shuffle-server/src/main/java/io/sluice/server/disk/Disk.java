package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.catalog.RunCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage with its state: free space, health, and pending writes.
 *
 * <p>A disk is full from its high watermark until it is below its low watermark. After a failed
 * write no write starts for a retry period; {@link DiskHealth} decides if the disk is used at all.
 * Only {@link #refresh} and the methods of the storage access the disk; all others never block.
 * Thread-safe.
 */
public final class Disk {
  private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

  private final Storage storage;
  private final RunCatalog catalog;

  // Reloadable.
  @GuardedBy("this")
  private DiskLimits limits;

  private final DiskHealth health;
  private final LongSupplier nanoTime;
  private final LongAdder writtenBytes = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();

  @GuardedBy("this")
  private final List<PendingWrite> pending = new ArrayList<>();

  @GuardedBy("this")
  private long pendingBytes;

  @GuardedBy("this")
  private long capacityBytes;

  @GuardedBy("this")
  private long freeBytes;

  @GuardedBy("this")
  private boolean full;

  @GuardedBy("this")
  private long noSpaceUntilNanos;

  @GuardedBy("this")
  private boolean noSpaceReported;

  @GuardedBy("this")
  private boolean unreadable;

  @GuardedBy("this")
  private int failures;

  // True from a failed write until a write succeeds.
  @GuardedBy("this")
  private boolean postponed;

  @GuardedBy("this")
  private long notBeforeNanos;

  public Disk(Storage storage, RunCatalog catalog, DiskLimits limits, LongSupplier nanoTime) {
    this(
        storage,
        catalog,
        limits,
        new DiskHealth(
            storage.name(),
            HealthConfig.DEFAULT.withWriteFailuresUntilSuspect(limits.failuresUntilBad()),
            nanoTime),
        nanoTime);
  }

  public Disk(
      Storage storage,
      RunCatalog catalog,
      DiskLimits limits,
      DiskHealth health,
      LongSupplier nanoTime) {
    this.storage = storage;
    this.catalog = catalog;
    this.limits = limits;
    this.health = health;
    this.nanoTime = nanoTime;
    refresh();
  }

  /** Does not depend on the address: a repeated simulation visits disks in the same order. */
  @Override
  public int hashCode() {
    return name().hashCode();
  }

  public Storage storage() {
    return storage;
  }

  /** The catalog of the runs in the storage; only the disk's own threads may use it. */
  public RunCatalog catalog() {
    return catalog;
  }

  /** Health of the disk; all users of the disk report results and errors to it. */
  public DiskHealth health() {
    return health;
  }

  /** The clock for all times of this disk. */
  public LongSupplier nanoTime() {
    return nanoTime;
  }

  public String name() {
    return storage.name();
  }

  public StorageKind kind() {
    return storage.kind();
  }

  public synchronized long capacityBytes() {
    return capacityBytes;
  }

  /** Free bytes at the last refresh, minus the bytes of pending writes. */
  public synchronized long freeBytes() {
    return Math.max(0, freeBytes - pendingBytes);
  }

  /** Changes the limits; the next refresh applies them. */
  public synchronized void limit(DiskLimits changed) {
    limits = changed;
  }

  /** Bytes to remove to reach the low watermark. */
  public synchronized long bytesAboveLowMark() {
    long lowMarkBytes = (long) (capacityBytes * (limits.lowPercent() / 100));
    return Math.max(0, capacityBytes - freeBytes - lowMarkBytes);
  }

  /** Whether usage has reached the high watermark and is not below the low watermark again. */
  public synchronized boolean isFull() {
    return full || noSpaceReported;
  }

  /** Whether new data is written to the disk: it is healthy and not full. */
  public synchronized boolean isHealthy() {
    return health.state().isWritten() && !isFull() && !unreadable;
  }

  /** Whether the last write failed: other disks are preferred. */
  public synchronized boolean isDoubtful() {
    return failures > 0 || !health.state().isWritten();
  }

  /**
   * Whether {@code bytes} may be written now. A disk that is SUSPECT because of failed writes only
   * is tried again after its retry period.
   */
  public synchronized boolean mayWrite(long bytes) {
    boolean chance =
        health.state() == HealthState.SUSPECT && health.cause() == HealthCause.WRITE_ERRORS;
    return !isFull()
        && !unreadable
        && freeBytes() >= bytes
        && (health.state().isWritten() || chance)
        && (!postponed || nanoTime.getAsLong() - notBeforeNanos >= 0);
  }

  /** Resets the failures after successful probes. */
  public synchronized void resetFailedWrites() {
    failures = 0;
    postponed = false;
  }

  /** Number of pending writes. */
  public synchronized int queueDepth() {
    return pending.size();
  }

  /** Bytes of files written since the start. */
  public long writtenBytes() {
    return writtenBytes.sum();
  }

  /** Total time of these writes. */
  public long writeNanos() {
    return writeNanos.sum();
  }

  /**
   * Registers a write of about {@code bytes} bytes that starts now.
   *
   * @return the pending write; exactly one of its methods must end it
   */
  public PendingWrite beginWrite(long bytes) {
    PendingWrite write = new PendingWrite(this, bytes, nanoTime.getAsLong());
    synchronized (this) {
      pending.add(write);
      pendingBytes += bytes;
    }
    return write;
  }

  /**
   * Reports a write that exceeded its timeout to the health of the disk.
   *
   * @return whether there is one
   */
  public boolean reportOverdueWrites() {
    long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(health.config().writeTimeoutMs());
    long age = -1;
    synchronized (this) {
      for (PendingWrite write : pending) {
        if (write.isOverdue(timeoutNanos)) {
          age = Math.max(age, write.ageNanos());
        }
      }
    }
    if (age >= 0) {
      health.writeOverdue(age);
    }
    return age >= 0;
  }

  /** Updates capacity and free space; may hang, so only threads of this disk may call it. */
  public void refresh() {
    long capacity;
    long free;
    try {
      capacity = storage.capacityBytes();
      free = storage.freeBytes();
    } catch (IOException e) {
      freeSpaceUnreadable(e);
      return;
    }
    synchronized (this) {
      capacityBytes = capacity;
      freeBytes = free;
      unreadable = false;
      if (noSpaceReported && nanoTime.getAsLong() - noSpaceUntilNanos >= 0) {
        noSpaceReported = false;
      }
      double usedPercent = capacity == 0 ? 100 : 100.0 * (capacity - free) / capacity;
      boolean nowFull =
          full ? usedPercent >= limits.lowPercent() : usedPercent >= limits.highPercent();
      if (nowFull != full) {
        LOG.warn(
            "disk {} disk={} freeBytes={} capacityBytes={}",
            nowFull ? "is full" : "has free space again",
            name(),
            free,
            capacity);
      }
      full = nowFull;
    }
  }

  void ended(PendingWrite write) {
    synchronized (this) {
      if (pending.remove(write)) {
        pendingBytes -= write.bytes();
      }
    }
  }

  void writeSucceeded(long bytes, long nanos) {
    synchronized (this) {
      resetFailedWrites();
      freeBytes = Math.max(0, freeBytes - bytes);
    }
    writtenBytes.add(bytes);
    writeNanos.add(nanos);
    health.writeSucceeded(bytes, nanos);
    refresh();
  }

  void writeFailed(IOException problem) {
    DiskFault fault = DiskFault.of(problem);
    if (fault == DiskFault.UNRELATED) {
      LOG.warn(
          "write postponed, the server is out of memory or file descriptors disk={} problem={}",
          name(),
          problem.toString());
      writePostponed();
      return;
    }
    synchronized (this) {
      failures++;
      boolean bad = failures >= limits.failuresUntilBad();
      postpone(bad ? limits.badRetryMs() : limits.retryMs());
      if (fault == DiskFault.FULL) {
        // A quota may be exceeded although the file system has free space: treat the disk as full
        // for the retry period.
        noSpaceReported = true;
        noSpaceUntilNanos =
            nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(limits.badRetryMs());
      }
      if (failures <= limits.failuresUntilBad()) {
        LOG.warn(
            "disk write failed disk={} consecutiveFailures={} problem={}",
            name(),
            failures,
            String.valueOf(problem));
      }
    }
    health.writeFailed(problem);
    refresh();
  }

  synchronized void writePostponed() {
    postpone(limits.retryMs());
  }

  /** Starts no write for {@code ms} milliseconds; a later time that was set before is kept. */
  @GuardedBy("this")
  private void postpone(long ms) {
    long until = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(ms);
    if (!postponed || until - notBeforeNanos > 0) {
      notBeforeNanos = until;
    }
    postponed = true;
  }

  private synchronized void freeSpaceUnreadable(IOException problem) {
    if (!unreadable) {
      LOG.warn("free space of disk cannot be read disk={} problem={}", name(), problem.toString());
    }
    unreadable = true;
  }
}
