package io.sluice.common.auth;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Rate limit of log lines: one line per second. Suppressed lines are counted in the next line.
 * Thread-safe.
 */
public final class LineLimit {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanoTime;
  // Guarded by this.
  private long lastNanos;
  private boolean any;
  private long suppressed;

  public LineLimit(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Requests a line.
   *
   * @return the number of lines suppressed before it; -1: write nothing
   */
  public synchronized long next() {
    long now = nanoTime.getAsLong();
    if (any && now - lastNanos < EVERY_NANOS) {
      suppressed++;
      return -1;
    }
    long before = suppressed;
    any = true;
    lastNanos = now;
    suppressed = 0;
    return before;
  }

  /**
   * Requests a line.
   *
   * @return the text to write, with the number of lines suppressed before it; null: write nothing
   */
  public String admit(String text) {
    long before = next();
    if (before < 0) {
      return null;
    }
    return before == 0 ? text : text + " (and " + before + " more since the last line)";
  }
}
