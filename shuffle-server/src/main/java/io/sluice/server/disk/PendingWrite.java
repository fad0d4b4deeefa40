package io.sluice.server.disk;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file that is being written to a disk, or is about to be. Ended once, by whichever method comes
 * first; the others then do nothing. {@link #succeeded} and {@link #failed} belong on the thread
 * that wrote. Thread-safe.
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

  /** Bytes that were expected. */
  public long bytes() {
    return bytes;
  }

  /** How long it has been under way. */
  public long ageNanos() {
    return disk.nanoTime().getAsLong() - startedNanos;
  }

  /**
   * Whether it has not ended in its time.
   *
   * @param timeoutNanos for a file of up to 256 MiB; a larger one has more in proportion
   */
  public boolean isOverdue(long timeoutNanos) {
    double share = Math.max(1, (double) bytes / TIMED_BYTES);
    return !ended.get() && ageNanos() > timeoutNanos * share;
  }

  /**
   * The file is there.
   *
   * @param length of it
   */
  public void succeeded(long length) {
    if (end()) {
      disk.writeSucceeded(length, ageNanos());
    }
  }

  /** The disk did not take it. */
  public void failed(IOException problem) {
    if (end()) {
      disk.writeFailed(problem);
    }
  }

  /**
   * It failed for want of memory or by a bug of the server, which says nothing about the disk. The
   * disk gets the next write a little later, so that the same failure is not repeated at once.
   */
  public void postponed() {
    if (end()) {
      disk.writePostponed();
    }
  }

  /** It was not written for a reason that says nothing about the disk. */
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
