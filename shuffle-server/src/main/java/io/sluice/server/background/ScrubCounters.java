package io.sluice.server.background;

import java.util.concurrent.atomic.LongAdder;

/** What the scrubbers of a server have done since its start. Thread-safe. */
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

  /** Runs found to be whole. */
  public long verifiedRuns() {
    return verifiedRuns.sum();
  }

  /** Runs found to be damaged. */
  public long damagedRuns() {
    return damagedRuns.sum();
  }

  /** Times that a run could not be read to its end. */
  public long unreadableRuns() {
    return unreadableRuns.sum();
  }
}
