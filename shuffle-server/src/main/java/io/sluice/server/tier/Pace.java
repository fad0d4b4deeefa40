package io.sluice.server.tier;

import java.util.concurrent.TimeUnit;

/** Spreads bytes over time, so many a second. Not thread-safe; time comes in. */
final class Pace {
  private final long bytesPerSecond;
  private long nextNanos;
  private boolean begun;

  Pace(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Nanoseconds to wait before so many bytes more; what was not used before is not saved up. */
  long take(long bytes, long nowNanos) {
    if (!begun || nowNanos - nextNanos > 0) {
      nextNanos = nowNanos;
      begun = true;
    }
    long wait = nextNanos - nowNanos;
    nextNanos += (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    return wait;
  }
}
