package io.sluice.server.observe;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a server since its start. Thread-safe; all values are monotonic. */
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
  private final LongAdder lostBlocks = new LongAdder();
  private final LongAdder confirmedReports = new LongAdder();
  private final LongAdder unconfirmedReports = new LongAdder();
  private final LongAdder lostBytes = new LongAdder();
  private final LongAdder opens = new LongAdder();
  private final LongAdder openedPartitions = new LongAdder();
  private final LongAdder fetches = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();
  private final LongAdder fetchedFromMemoryBytes = new LongAdder();
  private final LongAdder refusedFrames = new LongAdder();
  private final LongAdder corruptFrames = new LongAdder();
  private final LongAdder pausedConnections = new LongAdder();

  /** Counters without published latencies. */
  public ServerCounters() {
    this(new Latencies());
  }

  /**
   * @param latencies receives the durations and sizes of spills
   */
  public ServerCounters(Latencies latencies) {
    this.latencies = latencies;
  }

  /** Records an acknowledged push. */
  public void pushed(int keptBlocks, long keptBytes, int duplicates) {
    pushedFrames.increment();
    pushedBlocks.add(keptBlocks);
    pushedBytes.add(keptBytes);
    duplicateBlocks.add(duplicates);
  }

  /** Records a spilled run file with {@code bytes} of blocks. */
  public void spilled(long bytes, long nanos) {
    spilledRuns.increment();
    spilledBytes.add(bytes);
    latencies.spilled(nanos, bytes);
  }

  public void spillFailed() {
    failedSpills.increment();
  }

  /** Records a run file that was moved to a slower disk. */
  public void demoted(long bytes) {
    demotedRuns.increment();
    demotedBytes.add(bytes);
  }

  /**
   * Records run files that were lost with their disk, or because they were damaged or unreadable.
   */
  public void lostRuns(int runs, long bytes) {
    lostRuns.add(runs);
    lostBytes.add(bytes);
  }

  /** Records damaged blocks of run files that are lost; their runs are not. */
  public void lostBlocks(int blocks, long bytes) {
    lostBlocks.add(blocks);
    lostBytes.add(bytes);
  }

  /** Records a block that a client reported as damaged, after it was verified. */
  public void reportedBlock(boolean damaged) {
    (damaged ? confirmedReports : unconfirmedReports).increment();
  }

  /** Records an answered Open. */
  public void opened(int partitions) {
    opens.increment();
    openedPartitions.add(partitions);
  }

  /** Records an answered Fetch. */
  public void fetched(long bytes, long fromMemory) {
    fetches.increment();
    fetchedBytes.add(bytes);
    fetchedFromMemoryBytes.add(fromMemory);
  }

  /** Records a frame that was answered with an error. */
  public void refusedFrame() {
    refusedFrames.increment();
  }

  /** Records a frame that was refused because of wrong bytes; it also counts as refused. */
  public void corruptFrame() {
    corruptFrames.increment();
  }

  /** Records that reading of a connection was paused because the memory budget was full. */
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

  public long lostBlocks() {
    return lostBlocks.sum();
  }

  /** Reports of damaged blocks whose checksum was wrong in the file. */
  public long confirmedReports() {
    return confirmedReports.sum();
  }

  /** Reports of damaged blocks whose checksum was right in the file. */
  public long unconfirmedReports() {
    return unconfirmedReports.sum();
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
