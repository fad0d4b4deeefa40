package io.sluice.server.read;

import java.util.concurrent.atomic.LongAdder;

/** Counters of reads of run files since the server started. Thread-safe. */
public final class DiskReadCounters {
  private final LongAdder cachedBytes = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder aheadBytes = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder refusals = new LongAdder();

  void cached(long bytes) {
    cachedBytes.add(bytes);
  }

  void read(long bytes) {
    readBytes.add(bytes);
  }

  void readAhead(long bytes) {
    aheadBytes.add(bytes);
  }

  void failed() {
    failures.increment();
  }

  void timedOut() {
    timeouts.increment();
  }

  void refused() {
    refusals.increment();
  }

  /** Bytes of run files that were sent from the page cache without a disk read. */
  public long cachedBytes() {
    return cachedBytes.sum();
  }

  /** Bytes of run files that reader threads read from disks. */
  public long readBytes() {
    return readBytes.sum();
  }

  /** Bytes of run files that were read ahead of a fetch. */
  public long aheadBytes() {
    return aheadBytes.sum();
  }

  /** Disk reads that failed. */
  public long failures() {
    return failures.sum();
  }

  /** Disk reads that timed out. */
  public long timeouts() {
    return timeouts.sum();
  }

  /**
   * Disk reads that were refused immediately, because the disk was stalled or its queue was full.
   */
  public long refusals() {
    return refusals.sum();
  }
}
