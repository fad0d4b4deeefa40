package io.sluice.server.read;

import io.sluice.server.disk.StorageKind;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits the reads in progress of each application while several applications read from a disk.
 *
 * <p>A disk divides its bandwidth between the reads in progress. Without a limit, one application
 * with many requests occupies all threads of the disk: a read of another application first waits
 * for a thread, and then gets a small part of the bandwidth. With it, all applications together
 * have about as many bytes in progress as the disk reads in {@link #PROGRESS_NANOS}, which keeps a
 * disk busy, and each has an equal part of them, but always one read. So a read that takes longer
 * than this time alone takes about twice as long beside another application.
 *
 * <p>The limit does not apply to an application that reads alone, to remote storage, whose latency
 * is much longer, and while no read ends, so that a hanging disk is noticed as without it.
 *
 * <p>Not thread-safe; uses no clock.
 */
final class ReadShares {
  /** Several times the latency of one access to an SSD; about one seek of an HDD. */
  static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Time after its last read in which an application counts as a reader of the disk. */
  static final long ACTIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Time without the end of a read after which the limit does not apply. */
  static final long HANGING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Time with reads in progress between two measurements of the bandwidth. */
  private static final long MEASURE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final boolean unlimited;
  private final Map<String, Use> uses = new HashMap<>();
  private int reads;
  private long busySinceNanos;
  private long lastEndNanos;
  private long measuredBytes;
  private long measuredNanos;

  /** 0: not measured yet. */
  private double bytesPerNano;

  /** The reads in progress of an application. */
  private static final class Use {
    private int reads;
    private long bytes;
    private long lastNanos;
  }

  ReadShares(StorageKind kind) {
    this.unlimited = kind == StorageKind.REMOTE;
  }

  /** Whether an application may start a read of a number of bytes. */
  boolean mayStart(String application, long bytes, long nowNanos) {
    Use use = uses.get(application);
    if (unlimited || use == null || use.reads == 0) {
      return true;
    }
    forgetIdle(nowNanos);
    return uses.size() == 1
        || use.bytes + bytes <= bytesPerNano * PROGRESS_NANOS / uses.size()
        || nowNanos - lastEndNanos > HANGING_NANOS;
  }

  private void forgetIdle(long nowNanos) {
    uses.values().removeIf(one -> one.reads == 0 && nowNanos - one.lastNanos > ACTIVE_NANOS);
  }

  void started(String application, long bytes, long nowNanos) {
    if (reads == 0) {
      busySinceNanos = nowNanos;
      lastEndNanos = nowNanos;
    }
    reads++;
    if (!uses.containsKey(application)) {
      forgetIdle(nowNanos);
    }
    Use use = uses.computeIfAbsent(application, unused -> new Use());
    use.reads++;
    use.bytes += bytes;
    use.lastNanos = nowNanos;
  }

  /**
   * A read has ended.
   *
   * @param bytes as at its start
   * @param readBytes bytes that were really read
   */
  void ended(String application, long bytes, long readBytes, long nowNanos) {
    Use use = uses.get(application);
    use.reads--;
    use.bytes -= bytes;
    use.lastNanos = nowNanos;
    reads--;
    lastEndNanos = nowNanos;
    measuredBytes += readBytes;
    measuredNanos += nowNanos - busySinceNanos;
    busySinceNanos = nowNanos;
    if (measuredNanos >= MEASURE_NANOS) {
      double measured = (double) measuredBytes / measuredNanos;
      bytesPerNano = bytesPerNano == 0 ? measured : (bytesPerNano + measured) / 2;
      measuredBytes = 0;
      measuredNanos = 0;
    }
  }
}
