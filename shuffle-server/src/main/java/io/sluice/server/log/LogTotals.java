package io.sluice.server.log;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Totals of all shuffles of a server. Thread-safe. */
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

  /** Totals without a limit of metadata bytes. */
  public LogTotals(long maxPartitions) {
    this(maxPartitions, Long.MAX_VALUE);
  }

  /**
   * @param maxPartitions maximum number of partitions with blocks
   * @param maxMetadataBytes maximum heap for metadata of partitions, attempts and runs
   */
  public LogTotals(long maxPartitions, long maxMetadataBytes) {
    this.maxPartitions = maxPartitions;
    this.maxMetadataBytes = maxMetadataBytes;
  }

  /** Bytes of the memory budget in frames that no spill has taken yet. */
  public long bufferedBytes() {
    return bufferedBytes.get();
  }

  /** Bytes of the memory budget in frames that are being spilled. */
  public long spillingBytes() {
    return spillingBytes.get();
  }

  /**
   * Extents of frames that no spill has taken yet; they determine the heap used for buffered
   * frames.
   */
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

  /** Sum of the map attempts of all shuffles. */
  public long attempts() {
    return attempts.get();
  }

  /** Shuffles that have a huge partition, in no order. */
  public Collection<ShuffleLog> hugeLogs() {
    return Collections.unmodifiableSet(huge);
  }

  /**
   * Heap for metadata of partitions, attempts and runs, without blocks in memory; estimated by
   * {@link LogFootprint}.
   */
  public long metadataBytes() {
    return metadataBytes.get();
  }

  /** Whether the limit of metadata bytes is reached. */
  boolean isMetadataSpent() {
    return metadataBytes() >= maxMetadataBytes;
  }

  /** Whether less than a quarter of the limit of metadata bytes is used. */
  boolean hasMuchMetadataRoom() {
    return metadataBytes() < maxMetadataBytes / 4;
  }

  /**
   * Whether any block of a file was lost since the server started, even if its shuffle was removed
   * later.
   */
  public boolean anyLost() {
    return anyLost;
  }

  void lostBlocks() {
    anyLost = true;
  }

  /** Number of partitions that can still be added. */
  long partitionRoom() {
    return maxPartitions - partitions.get();
  }

  void addBuffered(long reservedBytes, int extents) {
    bufferedBytes.addAndGet(reservedBytes);
    bufferedExtents.addAndGet(extents);
  }

  void beginSpilling(long reservedBytes, int extents) {
    addBuffered(-reservedBytes, -extents);
    spillingBytes.addAndGet(reservedBytes);
  }

  void endSpilling(long reservedBytes) {
    spillingBytes.addAndGet(-reservedBytes);
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
