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
 * A storage with what is known of its state: how full it is, how well, and what is being written to
 * it.
 *
 * <p>Full above the high mark until below the low mark. After a failed write it gets none for a
 * while; whether it is trusted at all, {@link DiskHealth} says. No method but {@link #refresh} and
 * those of the storage touches the disk, so any thread may ask. Thread-safe.
 */
public final class Disk {
  private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

  private final Storage storage;
  private final RunCatalog catalog;

  // An operator may change them.
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
  private long fullUntilNanos;

  @GuardedBy("this")
  private boolean heldFull;

  @GuardedBy("this")
  private boolean unreadable;

  @GuardedBy("this")
  private int failures;

  // Since a write failed, until one succeeds.
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

  public Storage storage() {
    return storage;
  }

  /** Which runs the storage holds; only the disk's own threads may call it. */
  public RunCatalog catalog() {
    return catalog;
  }

  /** Where whoever uses the disk says how that went. */
  public DiskHealth health() {
    return health;
  }

  /** The clock that its times are of. */
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

  /** Bytes that are free, as last seen, and not promised to what is being written. */
  public synchronized long freeBytes() {
    return Math.max(0, freeBytes - pendingBytes);
  }

  /** From now on these hold; whether it is full is seen with the next look at it. */
  public synchronized void limit(DiskLimits changed) {
    limits = changed;
  }

  /** Bytes that must go until it is down to its low mark. */
  public synchronized long bytesAboveLowMark() {
    long most = (long) (capacityBytes * (limits.lowPercent() / 100));
    return Math.max(0, capacityBytes - freeBytes - most);
  }

  /** Whether it is over its high mark, and not yet below its low mark again. */
  public synchronized boolean isFull() {
    return full || heldFull;
  }

  /** Whether it takes data as far as is known: trusted, and not full. */
  public synchronized boolean isHealthy() {
    return health.state().isWritten() && !isFull() && !unreadable;
  }

  /** Whether the last write to it failed: others are better while they have time. */
  public synchronized boolean isDoubtful() {
    return failures > 0 || !health.state().isWritten();
  }

  /**
   * Whether {@code bytes} may be written to it now. One that is suspected for nothing but failed
   * writes gets its next chance here.
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

  /** Probes have shown that it is as good as any other. */
  public synchronized void forgetFailedWrites() {
    failures = 0;
    postponed = false;
  }

  /** Files that are being written to it or are about to be. */
  public synchronized int queueDepth() {
    return pending.size();
  }

  /** Bytes of files written since the start. */
  public long writtenBytes() {
    return writtenBytes.sum();
  }

  /** Time that writing them took. */
  public long writeNanos() {
    return writeNanos.sum();
  }

  /**
   * A file of about so many bytes is going to be written, from now on.
   *
   * @return to be ended by exactly one of its methods
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
   * Tells its health of a write that has not ended in its time.
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

  /** Asks how full the storage is; only on a thread of the disk's own, as this may hang. */
  public void refresh() {
    long capacity;
    long free;
    try {
      capacity = storage.capacityBytes();
      free = storage.freeBytes();
    } catch (IOException e) {
      cannotTell(e);
      return;
    }
    synchronized (this) {
      capacityBytes = capacity;
      freeBytes = free;
      unreadable = false;
      if (heldFull && nanoTime.getAsLong() - fullUntilNanos >= 0) {
        heldFull = false;
      }
      double usedPercent = capacity == 0 ? 100 : 100.0 * (capacity - free) / capacity;
      boolean nowFull =
          full ? usedPercent >= limits.lowPercent() : usedPercent >= limits.highPercent();
      if (nowFull != full) {
        LOG.warn(
            "disk {} disk={} freeBytes={} capacityBytes={}",
            nowFull ? "is full" : "has room again",
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
      forgetFailedWrites();
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
          "write postponed, the server lacks memory or descriptors disk={} problem={}",
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
        // A quota may say so although the file system shows room: believe it for a while.
        heldFull = true;
        fullUntilNanos = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(limits.badRetryMs());
      }
      if (failures <= limits.failuresUntilBad()) {
        LOG.warn(
            "disk write failed disk={} failuresInARow={} problem={}",
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

  /** No write begins for so long, or until a later time that was said before. */
  @GuardedBy("this")
  private void postpone(long ms) {
    long until = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(ms);
    if (!postponed || until - notBeforeNanos > 0) {
      notBeforeNanos = until;
    }
    postponed = true;
  }

  private synchronized void cannotTell(IOException problem) {
    if (!unreadable) {
      LOG.warn("disk does not say how full it is disk={} problem={}", name(), problem.toString());
    }
    unreadable = true;
  }
}
