package io.sluice.server.observe;

import java.util.concurrent.atomic.LongAdder;

/** What a server has done since its start. Thread-safe; every figure only grows. */
public final class ServerCounters {
  private final Latencies latencies;
  private final LongAdder pushedFrames = new LongAdder();
  private final LongAdder pushedBlocks = new LongAdder();
  private final LongAdder pushedBytes = new LongAdder();
  private final LongAdder duplicateBlocks = new LongAdder();
  private final LongAdder spilledBytes = new LongAdder();
  private final LongAdder spilledRuns = new LongAdder();
  private final LongAdder failedSpills = new LongAdder();
  private final LongAdder demotedRuns = new LongAdder();
  private final LongAdder demotedBytes = new LongAdder();
  private final LongAdder lostRuns = new LongAdder();
  private final LongAdder lostBytes = new LongAdder();
  private final LongAdder opens = new LongAdder();
  private final LongAdder openedPartitions = new LongAdder();
  private final LongAdder fetches = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();
  private final LongAdder fetchedFromMemoryBytes = new LongAdder();
  private final LongAdder refusedFrames = new LongAdder();
  private final LongAdder corruptFrames = new LongAdder();
  private final LongAdder pausedConnections = new LongAdder();

  /** Counters whose latencies nobody reads. */
  public ServerCounters() {
    this(new Latencies());
  }

  /**
   * @param latencies is told how long spills took
   */
  public ServerCounters(Latencies latencies) {
    this.latencies = latencies;
  }

  /** A push was acknowledged. */
  public void pushed(int keptBlocks, long keptBytes, int duplicates) {
    pushedFrames.increment();
    pushedBlocks.add(keptBlocks);
    pushedBytes.add(keptBytes);
    duplicateBlocks.add(duplicates);
  }

  /** A run file of so many bytes of blocks was written. */
  public void spilled(long bytes, long nanos) {
    spilledRuns.increment();
    spilledBytes.add(bytes);
    latencies.spilled(nanos, bytes);
  }

  public void spillFailed() {
    failedSpills.increment();
  }

  /** A run file was moved to a slower disk. */
  public void demoted(long bytes) {
    demotedRuns.increment();
    demotedBytes.add(bytes);
  }

  /** Run files were given up with their disk, or because they were damaged or unreadable. */
  public void lostRuns(int runs, long bytes) {
    lostRuns.add(runs);
    lostBytes.add(bytes);
  }

  /** An Open was answered. */
  public void opened(int partitions) {
    opens.increment();
    openedPartitions.add(partitions);
  }

  /** A Fetch was answered. */
  public void fetched(long bytes, long fromMemory) {
    fetches.increment();
    fetchedBytes.add(bytes);
    fetchedFromMemoryBytes.add(fromMemory);
  }

  /** A frame was answered with an error, whatever the reason. */
  public void refusedFrame() {
    refusedFrames.increment();
  }

  /** A frame was refused because its bytes are wrong; it counts as refused too. */
  public void corruptFrame() {
    corruptFrames.increment();
  }

  /** A connection was not read further because the memory budget was spent. */
  public void pausedConnection() {
    pausedConnections.increment();
  }

  public long pushedFrames() {
    return pushedFrames.sum();
  }

  public long pushedBlocks() {
    return pushedBlocks.sum();
  }

  public long pushedBytes() {
    return pushedBytes.sum();
  }

  public long duplicateBlocks() {
    return duplicateBlocks.sum();
  }

  public long spilledBytes() {
    return spilledBytes.sum();
  }

  public long spilledRuns() {
    return spilledRuns.sum();
  }

  public long failedSpills() {
    return failedSpills.sum();
  }

  public long demotedRuns() {
    return demotedRuns.sum();
  }

  public long demotedBytes() {
    return demotedBytes.sum();
  }

  public long lostRuns() {
    return lostRuns.sum();
  }

  public long lostBytes() {
    return lostBytes.sum();
  }

  public long opens() {
    return opens.sum();
  }

  public long openedPartitions() {
    return openedPartitions.sum();
  }

  public long fetches() {
    return fetches.sum();
  }

  public long fetchedBytes() {
    return fetchedBytes.sum();
  }

  public long fetchedFromMemoryBytes() {
    return fetchedFromMemoryBytes.sum();
  }

  public long refusedFrames() {
    return refusedFrames.sum();
  }

  public long corruptFrames() {
    return corruptFrames.sum();
  }

  public long pausedConnections() {
    return pausedConnections.sum();
  }
}
