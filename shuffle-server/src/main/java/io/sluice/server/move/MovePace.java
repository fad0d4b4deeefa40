package io.sluice.server.move;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Spreads the bytes of all copies over time. What was not used before is not saved up. */
final class MovePace {
  private final long bytesPerSecond;
  private final LongSupplier nanoTime;
  // Guarded by this.
  private long nextNanos;

  /**
   * @param bytesPerSecond 0: no bound
   */
  MovePace(long bytesPerSecond, LongSupplier nanoTime) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.nextNanos = nanoTime.getAsLong();
  }

  /** Waits for its turn. */
  void take(long bytes) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(waitNanos(bytes));
  }

  /** Nanoseconds to wait before so many bytes more. */
  synchronized long waitNanos(long bytes) {
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
