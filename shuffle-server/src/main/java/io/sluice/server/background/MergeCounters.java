package io.sluice.server.background;

import io.sluice.server.observe.Latencies;
import java.util.concurrent.atomic.LongAdder;

/** Counters of merges since the start of the server. Thread-safe; counters never decrease. */
public final class MergeCounters {
  private final Latencies latencies;
  private final LongAdder merges = new LongAdder();
  private final LongAdder mergedRuns = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder writtenBytes = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final LongAdder pauses = new LongAdder();

  /** Counters with unpublished latencies. */
  public MergeCounters() {
    this(new Latencies());
  }

  /**
   * @param latencies records the durations of merges
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

  void mergeCancelled() {
    cancelled.increment();
  }

  void paused() {
    pauses.increment();
  }

  /** Number of merges that wrote a run. */
  public long merges() {
    return merges.sum();
  }

  /** Number of input runs of these merges. */
  public long mergedRuns() {
    return mergedRuns.sum();
  }

  /** Bytes that merges read from run files. */
  public long readBytes() {
    return readBytes.sum();
  }

  /** Bytes of the files that merges wrote. */
  public long writtenBytes() {
    return writtenBytes.sum();
  }

  /** Merges that failed because of a disk or a damaged run; their inputs are kept. */
  public long failures() {
    return failures.sum();
  }

  /** Cancelled merges: the shuffle was deleted or lost runs, or the server stops. */
  public long cancelled() {
    return cancelled.sum();
  }

  /** Number of times a merge paused for spills. */
  public long pauses() {
    return pauses.sum();
  }
}
