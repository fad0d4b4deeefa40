package io.sluice.server.disk;

/**
 * How long one kind of work takes on one disk: lately, and usually.
 *
 * <p>Lately is the best of the last few samples: a single hiccup, a garbage collection or a burst
 * of write-back, does not make a disk slow, a row of slow answers without a good one does. Usually
 * is a mean that moves slowly, and by no sample more than a little, so that a disk that has become
 * slow does not soon count as one that always was.
 *
 * <p>Written by one thread at a time; {@link #lately} may be read by any.
 */
final class LatencyTrack {
  static final int RECENT = 5;

  /** Samples until the mean says something. */
  private static final int WARM_UP = 16;

  private static final double WEIGHT = 1.0 / 64;
  private static final double MOST_GROWTH = 2;

  private final long[] recent = new long[RECENT];
  private long samples;
  private double usual;
  // -1 until there are enough samples.
  private volatile long lately = -1;

  void add(long nanos) {
    recent[(int) (samples % RECENT)] = nanos;
    samples++;
    if (samples <= WARM_UP) {
      usual += ((double) nanos - usual) / (double) samples;
    } else {
      usual += (Math.min((double) nanos, usual * MOST_GROWTH) - usual) * WEIGHT;
    }
    if (samples >= RECENT) {
      long best = Long.MAX_VALUE;
      for (long each : recent) {
        best = Math.min(best, each);
      }
      lately = best;
    }
  }

  /** Nanoseconds, or -1 when too little is known. */
  long lately() {
    return lately;
  }

  /**
   * Whether answers lately come far later than usual, and than those of the peers. Without peers
   * none do: a disk that is merely busy answers late too, and there is none to take over.
   *
   * @param peersNanos what is common among the peers; negative when not known
   */
  boolean isOutlier(double factor, long leastNanos, long peersNanos) {
    if (lately < 0 || lately <= leastNanos || peersNanos < 0) {
      return false;
    }
    boolean warm = samples > WARM_UP;
    return lately > factor * peersNanos && (!warm || lately > factor * usual);
  }
}
