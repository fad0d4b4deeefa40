package io.sluice.server.background;

import java.util.concurrent.atomic.LongAdder;

/** Counters of scrubbing since the start of the server. Thread-safe. */
public final class ScrubCounters {
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder verifiedRuns = new LongAdder();
  private final LongAdder damagedRuns = new LongAdder();
  private final LongAdder unreadableRuns = new LongAdder();

  void read(int bytes) {
    readBytes.add(bytes);
  }

  void verified() {
    verifiedRuns.increment();
  }

  void damaged() {
    damagedRuns.increment();
  }

  void unreadable() {
    unreadableRuns.increment();
  }

  public long readBytes() {
    return readBytes.sum();
  }

  /** Number of verifications without damage. */
  public long verifiedRuns() {
    return verifiedRuns.sum();
  }

  /** Number of verifications that found damage that was not known before. */
  public long damagedRuns() {
    return damagedRuns.sum();
  }

  /** Number of verifications that failed because a run was unreadable. */
  public long unreadableRuns() {
    return unreadableRuns.sum();
  }
}
