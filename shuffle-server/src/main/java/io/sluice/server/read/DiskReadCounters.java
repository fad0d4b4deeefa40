package io.sluice.server.read;

import java.util.concurrent.atomic.LongAdder;

/** How reads of run files went since the start of the server. Thread-safe. */
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

  /** Bytes of files that were sent from the page cache without waiting. */
  public long cachedBytes() {
    return cachedBytes.sum();
  }

  /** Bytes of files that disks' threads have read. */
  public long readBytes() {
    return readBytes.sum();
  }

  /** Bytes of files that were read before anybody asked for them. */
  public long aheadBytes() {
    return aheadBytes.sum();
  }

  /** Reads that a disk failed. */
  public long failures() {
    return failures.sum();
  }

  /** Reads that a disk took too long for. */
  public long timeouts() {
    return timeouts.sum();
  }

  /** Reads that were refused at once, because a disk was stalled or had too many. */
  public long refusals() {
    return refusals.sum();
  }
}
