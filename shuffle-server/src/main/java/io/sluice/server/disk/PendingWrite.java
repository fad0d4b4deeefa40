package io.sluice.server.disk;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file that is being written to a disk, or will be. The first of the four end methods counts;
 * later calls do nothing. {@link #succeeded} and {@link #failed} are called on the writing thread.
 * Thread-safe.
 */
public final class PendingWrite {
  private static final long TIMED_BYTES = 256L << 20;

  private final Disk disk;
  private final long bytes;
  private final long startedNanos;
  private final AtomicBoolean ended = new AtomicBoolean();

  PendingWrite(Disk disk, long bytes, long startedNanos) {
    this.disk = disk;
    this.bytes = bytes;
    this.startedNanos = startedNanos;
  }

  /** Expected length. */
  public long bytes() {
    return bytes;
  }

  /** Time since the write was registered. */
  public long ageNanos() {
    return disk.nanoTime().getAsLong() - startedNanos;
  }

  /**
   * Whether the write has exceeded its timeout.
   *
   * @param timeoutNanos timeout for a file of up to 256 MiB; larger files get proportionally more
   */
  public boolean isOverdue(long timeoutNanos) {
    double share = Math.max(1, (double) bytes / TIMED_BYTES);
    return !ended.get() && ageNanos() > timeoutNanos * share;
  }

  /**
   * Ends the write: the file is committed.
   *
   * @param length length of the file
   */
  public void succeeded(long length) {
    if (end()) {
      disk.writeSucceeded(length, ageNanos());
    }
  }

  /** Ends the write: the disk failed. */
  public void failed(IOException problem) {
    if (end()) {
      disk.writeFailed(problem);
    }
  }

  /**
   * Ends the write after a failure that is not the disk's fault: lack of memory or a bug of the
   * server. The next write to the disk starts after a retry period.
   */
  public void postponed() {
    if (end()) {
      disk.writePostponed();
    }
  }

  /** Ends the write without a result for the disk. */
  public void cancelled() {
    end();
  }

  private boolean end() {
    boolean first = ended.compareAndSet(false, true);
    if (first) {
      disk.ended(this);
    }
    return first;
  }
}
