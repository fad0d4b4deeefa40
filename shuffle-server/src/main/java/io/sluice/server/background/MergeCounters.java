package io.sluice.server.background;

import io.sluice.server.observe.Latencies;
import java.util.concurrent.atomic.LongAdder;

/** What the merging of a server has done since its start. Thread-safe; every figure only grows. */
public final class MergeCounters {
  private final Latencies latencies;
  private final LongAdder merges = new LongAdder();
  private final LongAdder mergedRuns = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder writtenBytes = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder pauses = new LongAdder();

  /** Counters whose latencies nobody reads. */
  public MergeCounters() {
    this(new Latencies());
  }

  /**
   * @param latencies is told how long merges took
   */
  public MergeCounters(Latencies latencies) {
    this.latencies = latencies;
  }

  void took(long nanos) {
    latencies.merged(nanos);
  }

  void merged(int runs, long bytesRead, long bytesWritten) {
    merges.increment();
    mergedRuns.add(runs);
    readBytes.add(bytesRead);
    writtenBytes.add(bytesWritten);
  }

  void failed() {
    failures.increment();
  }

  void gaveUp() {
    cancelled.increment();
  }

  void paused() {
    pauses.increment();
  }

  /** Runs that were written by merging. */
  public long merges() {
    return merges.sum();
  }

  /** Runs that went into them. */
  public long mergedRuns() {
    return mergedRuns.sum();
  }

  /** Bytes that merges have read from run files. */
  public long readBytes() {
    return readBytes.sum();
  }

  /** Bytes of the files that merges have written. */
  public long writtenBytes() {
    return writtenBytes.sum();
  }

  /** Merges that a disk or a damaged run ended; they have changed nothing. */
  public long failures() {
    return failures.sum();
  }

  /** Merges that were given up: their shuffle was forgotten or lost runs, or the server stops. */
  public long cancelled() {
    return cancelled.sum();
  }

  /** How often a merge waited for more urgent writing. */
  public long pauses() {
    return pauses.sum();
  }
}
