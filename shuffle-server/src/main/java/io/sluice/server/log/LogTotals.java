package io.sluice.server.log;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Sums over all shuffles of a server. Thread-safe. */
public final class LogTotals {
  private final AtomicLong bufferedBytes = new AtomicLong();
  private final AtomicLong spillingBytes = new AtomicLong();
  private final AtomicLong bufferedExtents = new AtomicLong();
  private final AtomicLong storedBytes = new AtomicLong();
  private final AtomicLong partitions = new AtomicLong();
  private final AtomicLong attempts = new AtomicLong();
  private final AtomicLong metadataBytes = new AtomicLong();
  private final Set<ShuffleLog> huge = ConcurrentHashMap.newKeySet();
  private final long maxPartitions;
  private final long maxMetadataBytes;
  private volatile boolean anyLost;

  /** As the other, with any number of bytes of metadata. */
  public LogTotals(long maxPartitions) {
    this(maxPartitions, Long.MAX_VALUE);
  }

  /**
   * @param maxPartitions most partitions that may have a block
   * @param maxMetadataBytes of the heap, for what is known of partitions, attempts and runs
   */
  public LogTotals(long maxPartitions, long maxMetadataBytes) {
    this.maxPartitions = maxPartitions;
    this.maxMetadataBytes = maxMetadataBytes;
  }

  /** Bytes of the memory budget in frames that no spill has taken yet. */
  public long bufferedBytes() {
    return bufferedBytes.get();
  }

  /** Bytes of the memory budget in frames that are being written. */
  public long spillingBytes() {
    return spillingBytes.get();
  }

  /** Log entries of frames that no spill has taken yet: what the heap pays for them. */
  public long bufferedExtents() {
    return bufferedExtents.get();
  }

  /** Bytes of all partitions, in memory and in files. */
  public long storedBytes() {
    return storedBytes.get();
  }

  /** Partitions with at least one block. */
  public long partitions() {
    return partitions.get();
  }

  /** Map attempts, summed over the shuffles. */
  public long attempts() {
    return attempts.get();
  }

  /** Shuffles that have a huge partition, in no order. */
  public Collection<ShuffleLog> hugeLogs() {
    return Collections.unmodifiableSet(huge);
  }

  /**
   * Bytes of the heap for what is known of partitions, attempts and runs, but for blocks in memory:
   * estimated by {@link LogFootprint}.
   */
  public long metadataBytes() {
    return metadataBytes.get();
  }

  /** Whether nothing more may be remembered. */
  boolean isMetadataSpent() {
    return metadataBytes() >= maxMetadataBytes;
  }

  /** Whether any block that was in a file has been lost, whatever became of its shuffle since. */
  public boolean anyLost() {
    return anyLost;
  }

  void lostBlocks() {
    anyLost = true;
  }

  /** Partitions that may still get their first block. */
  long partitionRoom() {
    return maxPartitions - partitions.get();
  }

  void addBuffered(long heldBytes, int extents) {
    bufferedBytes.addAndGet(heldBytes);
    bufferedExtents.addAndGet(extents);
  }

  void beginSpilling(long heldBytes, int extents) {
    addBuffered(-heldBytes, -extents);
    spillingBytes.addAndGet(heldBytes);
  }

  void endSpilling(long heldBytes) {
    spillingBytes.addAndGet(-heldBytes);
  }

  void addStored(long bytes) {
    storedBytes.addAndGet(bytes);
  }

  void addPartitions(int count) {
    partitions.addAndGet(count);
  }

  void addAttempts(int count) {
    attempts.addAndGet(count);
  }

  void addMetadata(long bytes) {
    metadataBytes.addAndGet(bytes);
  }

  void addHuge(ShuffleLog log) {
    huge.add(log);
  }

  void removeHuge(ShuffleLog log) {
    huge.remove(log);
  }
}
