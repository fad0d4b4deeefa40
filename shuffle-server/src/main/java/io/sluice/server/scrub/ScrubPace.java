package io.sluice.server.scrub;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets one thread read so many bytes a second, and none while others use the disk. What was not
 * read in time is not caught up with: a pause is no reason for a burst. Not thread-safe.
 */
final class ScrubPace {
  /** Waits for so many milliseconds, or shorter. */
  interface Pause {
    /** False once the scrubber is stopped. */
    boolean await(long millis);
  }

  /** How long the disk must have been left alone is not known: it is asked this often. */
  private static final long BUSY_RETRY_MS = 50;

  private final long bytesPerSecond;
  private final BooleanSupplier busy;
  private final Pause pause;
  private final LongSupplier nanoTime;
  private long nextNanos;

  ScrubPace(long bytesPerSecond, BooleanSupplier busy, Pause pause, LongSupplier nanoTime) {
    this.bytesPerSecond = bytesPerSecond;
    this.busy = busy;
    this.pause = pause;
    this.nanoTime = nanoTime;
    this.nextNanos = nanoTime.getAsLong();
  }

  /**
   * Returns when so many bytes may be read.
   *
   * @throws InterruptedIOException once the scrubber is stopped
   */
  void beforeRead(int bytes) throws InterruptedIOException {
    while (true) {
      long waitMs = TimeUnit.NANOSECONDS.toMillis(nextNanos - nanoTime.getAsLong() + 999_999);
      if (waitMs <= 0 && !busy.getAsBoolean()) {
        break;
      }
      if (!pause.await(waitMs <= 0 ? BUSY_RETRY_MS : waitMs)) {
        throw new InterruptedIOException("scrubbing was stopped");
      }
    }
    long now = nanoTime.getAsLong();
    nextNanos = now + (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
  }
}
