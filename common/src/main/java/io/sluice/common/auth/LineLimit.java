package io.sluice.common.auth;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets one line a second through, so that a flood of events does not become a flood of lines. What
 * was left out is counted in the next line. Thread-safe.
 */
public final class LineLimit {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanoTime;
  // Guarded by this.
  private long lastNanos;
  private boolean any;
  private long leftOut;

  public LineLimit(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Asks for a line.
   *
   * @return the number of lines left out before it; -1: write nothing
   */
  public synchronized long next() {
    long now = nanoTime.getAsLong();
    if (any && now - lastNanos < EVERY_NANOS) {
      leftOut++;
      return -1;
    }
    long before = leftOut;
    any = true;
    lastNanos = now;
    leftOut = 0;
    return before;
  }

  /**
   * Asks for a line.
   *
   * @return the text to write, with the number of lines left out before it; null: write nothing
   */
  public String admit(String text) {
    long before = next();
    if (before < 0) {
      return null;
    }
    return before == 0 ? text : text + " (and " + before + " more since the last line)";
  }
}
