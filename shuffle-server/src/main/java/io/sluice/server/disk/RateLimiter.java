package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spreads bytes over time. What was not used is not saved up, so no burst follows a pause.
 * Thread-safe.
 */
public final class RateLimiter {
  private final long bytesPerSecond;
  private final LongSupplier nanoTime;

  // When the next bytes may go.
  @GuardedBy("this")
  private long nextNanos;

  /**
   * @param bytesPerSecond 0: no limit
   */
  public RateLimiter(long bytesPerSecond, LongSupplier nanoTime) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.nextNanos = nanoTime.getAsLong();
  }

  /** Nanoseconds until further bytes may go. */
  public long waitNanos() {
    return take(0);
  }

  /** Counts bytes, and returns the nanoseconds to wait before they may go. */
  public synchronized long take(long bytes) {
    if (bytesPerSecond == 0) {
      return 0;
    }
    long now = nanoTime.getAsLong();
    if (now - nextNanos > 0) {
      nextNanos = now;
    }
    long wait = nextNanos - now;
    nextNanos += (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    return wait;
  }
}
