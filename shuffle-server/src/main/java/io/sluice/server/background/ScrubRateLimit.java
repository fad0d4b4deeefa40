package io.sluice.server.background;

import io.sluice.server.disk.RateLimiter;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Limits the read rate of one thread, and pauses it while the disk is busy. Not thread-safe. */
final class ScrubRateLimit {
  /** Waits for a time in milliseconds, or less. */
  interface Pause {
    /** False once the scrubber is stopped. */
    boolean await(long millis);
  }

  /** Interval of checks whether the disk is still busy. */
  private static final long BUSY_RETRY_MS = 50;

  private final RateLimiter rate;
  private final BooleanSupplier busy;
  private final Pause pause;

  ScrubRateLimit(RateLimiter rate, BooleanSupplier busy, Pause pause) {
    this.rate = rate;
    this.busy = busy;
    this.pause = pause;
  }

  /**
   * Waits until {@code bytes} may be read.
   *
   * @throws InterruptedIOException once the scrubber is stopped
   */
  void beforeRead(int bytes) throws InterruptedIOException {
    while (true) {
      long waitMs = TimeUnit.NANOSECONDS.toMillis(rate.waitNanos() + 999_999);
      if (waitMs <= 0 && !busy.getAsBoolean()) {
        break;
      }
      if (!pause.await(waitMs <= 0 ? BUSY_RETRY_MS : waitMs)) {
        throw new InterruptedIOException("scrubbing was stopped");
      }
    }
    rate.take(bytes);
  }
}
