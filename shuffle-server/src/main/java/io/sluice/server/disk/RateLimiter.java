package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits bytes per second. Unused capacity does not accumulate, so no burst follows a pause.
 * Thread-safe.
 */
public final class RateLimiter {
  private final long bytesPerSecond;
  private final LongSupplier nanoTime;

  // Time at which the next bytes may be transferred.
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

  /** Nanoseconds until the next bytes may be transferred. */
  public long waitNanos() {
    return take(0);
  }

  /** Reserves bytes, and returns the nanoseconds to wait before their transfer. */
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
