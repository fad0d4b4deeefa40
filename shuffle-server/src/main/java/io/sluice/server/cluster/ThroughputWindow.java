package io.sluice.server.cluster;

import java.util.function.LongSupplier;

/**
 * Mean rate of a growing counter over the last ten seconds, from one sample per call of {@link
 * #sample}. Thread-safe.
 */
public final class ThroughputWindow {
  /** Samples a second apart: eleven of them span ten seconds. */
  private static final int SAMPLES = 11;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final LongSupplier counter;
  private final LongSupplier nanoTime;
  private final long[] values = new long[SAMPLES];
  private final long[] takenAtNanos = new long[SAMPLES];
  private int taken;

  public ThroughputWindow(LongSupplier counter, LongSupplier nanoTime) {
    this.counter = counter;
    this.nanoTime = nanoTime;
  }

  /** Takes a sample; called about once a second. */
  public synchronized void sample() {
    int slot = taken % SAMPLES;
    values[slot] = counter.getAsLong();
    takenAtNanos[slot] = nanoTime.getAsLong();
    taken++;
  }

  /** Units of the counter per second between the oldest sample and the newest; 0 before two. */
  public synchronized long perSecond() {
    if (taken < 2) {
      return 0;
    }
    int newest = (taken - 1) % SAMPLES;
    int oldest = taken <= SAMPLES ? 0 : taken % SAMPLES;
    long spanNanos = takenAtNanos[newest] - takenAtNanos[oldest];
    if (spanNanos <= 0) {
      return 0;
    }
    double grown = values[newest] - values[oldest];
    return Math.round(grown * NANOS_PER_SECOND / spanNanos);
  }
}
