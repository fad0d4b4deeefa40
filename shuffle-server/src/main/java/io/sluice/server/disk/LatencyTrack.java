package io.sluice.server.disk;

import java.util.function.LongSupplier;

/**
 * Recent and average latency of one kind of work on one disk.
 *
 * <p>Recent latency is the minimum of the last {@value #RECENT} samples: one garbage collection or
 * burst of write-back does not make a disk slow. The average moves slowly, and each sample has a
 * bounded effect, so that a disk that becomes slow stays an outlier for a while.
 *
 * <p>Written by one thread at a time; any thread may call {@link #recentNanos}.
 */
final class LatencyTrack {
  static final int RECENT = 5;

  /** Number of samples until the average is meaningful. */
  private static final int WARM_UP = 16;

  private static final double WEIGHT = 1.0 / 64;
  private static final double MAX_GROWTH = 2;

  private final long[] recent = new long[RECENT];
  private long samples;
  private double averageNanos;
  // -1 until there are enough samples.
  private volatile long recentNanos = -1;

  void add(long nanos) {
    recent[(int) (samples % RECENT)] = nanos;
    samples++;
    if (samples <= WARM_UP) {
      averageNanos += ((double) nanos - averageNanos) / (double) samples;
    } else {
      averageNanos += (Math.min((double) nanos, averageNanos * MAX_GROWTH) - averageNanos) * WEIGHT;
    }
    if (samples >= RECENT) {
      long best = Long.MAX_VALUE;
      for (long each : recent) {
        best = Math.min(best, each);
      }
      recentNanos = best;
    }
  }

  /** Recent latency in nanoseconds; -1 until there are enough samples. */
  long recentNanos() {
    return recentNanos;
  }

  /**
   * Whether recent latency far exceeds the average and the latency of the peers. Always false
   * without peers: a busy disk is slow too, and no other disk could take over.
   *
   * @param peersNanos returns the latency of the peers, negative if unknown; called only if the
   *     recent latency exceeds the threshold
   */
  boolean isOutlier(double factor, long thresholdNanos, LongSupplier peersNanos) {
    if (recentNanos < 0 || recentNanos <= thresholdNanos) {
      return false;
    }
    long peers = peersNanos.getAsLong();
    boolean warm = samples > WARM_UP;
    return peers >= 0
        && recentNanos > factor * peers
        && (!warm || recentNanos > factor * averageNanos);
  }
}
