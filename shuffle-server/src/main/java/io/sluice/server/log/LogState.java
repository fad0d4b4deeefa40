package io.sluice.server.log;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunBlock;
import java.util.List;

/**
 * Mutable state of one {@link ShuffleLog}: lifecycle state, frames in memory, runs, partitions,
 * attempts and waits. All methods and fields are used with {@link #lock} held.
 */
final class LogState {
  /** States of a log; {@link ShuffleLog} documents the transitions. */
  enum State {
    UNWRITTEN,
    LIVE,
    EXPIRED,
    /**
     * Created for a wait that ended without a block; callers look the shuffle up in the store
     * again.
     */
    UNUSED
  }

  /**
   * Partitions processed per lock acquisition, so that the lock is held for well under a
   * millisecond.
   */
  static final int PARTITIONS_AT_ONCE = 512;

  /**
   * Minimum length of a slice mark if heap for metadata becomes short: the maximum length divided
   * by this.
   */
  private static final int MIN_MARK_DIVISOR = 256;

  /** The one lock of the log. */
  final Object lock = new Object();

  final ShuffleKey key;
  State state = State.UNWRITTEN;
  final FrameQueue frames = new FrameQueue();
  final RunTable runs = new RunTable();
  private final LogTotals totals;
  private final PartitionTable partitions = new PartitionTable();
  AttemptTable attempts = new AttemptTable();
  final WaitTable waits = new WaitTable();
  private long storedBytes;
  private long metadataBytes;
  private long largestPartitionBytes;

  LogState(ShuffleKey key, LogTotals totals) {
    this.key = key;
    this.totals = totals;
  }

  int partitionCount() {
    return partitions.count();
  }

  long storedBytes() {
    return storedBytes;
  }

  /** Bytes of the longest partition. */
  long largestPartitionBytes() {
    return largestPartitionBytes;
  }

  /** Records the new length of a partition. */
  void grown(long partitionBytes) {
    largestPartitionBytes = Math.max(largestPartitionBytes, partitionBytes);
  }

  /** Returns a partition, or null if it has no block. */
  PartitionLog find(int index) {
    return partitions.find(index);
  }

  PartitionLog findOrAdd(int index) {
    PartitionLog partition = partitions.find(index);
    if (partition == null) {
      partition = new PartitionLog(index);
      partitions.add(partition);
      totals.addPartitions(1);
      addMetadata(LogFootprint.PARTITION_BYTES);
    }
    return partition;
  }

  /** Current partitions, sorted by index. */
  List<PartitionLog> sorted() {
    return partitions.sorted();
  }

  void addStored(long bytes) {
    storedBytes += bytes;
    totals.addStored(bytes);
  }

  /** Counts extents that are not in memory; {@code count} may be negative. */
  void addExtents(int count) {
    addMetadata((long) count * LogFootprint.EXTENT_BYTES);
  }

  /**
   * Adds an appended block to the slice marks of its partition. Marks have one map task each as
   * long as the server has much heap left for metadata.
   */
  void mark(PartitionLog partition, int mapIndex, int blockLength, int markBytes) {
    int grown =
        partition.marks.add(
            mapIndex,
            blockLength,
            totals.hasMuchMetadataRoom() ? 1 : Math.max(1, markBytes / MIN_MARK_DIVISOR),
            markBytes);
    if (grown > 0) {
      addMetadata(grown);
    }
  }

  /** Subtracts the metadata of a partition's attempts, which were reset. */
  void forgotAttempts(long metadataBytes) {
    addMetadata(-metadataBytes);
  }

  /**
   * Records a block.
   *
   * @param ended receives the waits that this block ends
   * @return whether it is new
   */
  boolean accept(
      PartitionLog partition, long attempt, int sequence, boolean last, List<OpenWait> ended) {
    int ordinal = attempts.find(attempt);
    if (ordinal < 0) {
      ordinal = attempts.add(attempt);
      totals.addAttempts(1);
      addMetadata(LogFootprint.ATTEMPT_BYTES);
      waits.sawAttempt(attempt, ordinal);
    }
    AttemptProgress progress = partition.attempts();
    long before = progress.metadataBytes();
    AttemptProgress.Verdict verdict = progress.accept(ordinal, sequence, last);
    long after = progress.metadataBytes();
    if (after != before) {
      addMetadata(after - before);
    }
    if (verdict == AttemptProgress.Verdict.COMPLETED && !waits.isEmpty()) {
      waits.completed(partition.index, ordinal, ended);
    }
    return switch (verdict) {
      case DUPLICATE, CONTRADICTION -> false;
      case KEPT, COMPLETED -> true;
    };
  }

  /** Records a block from the footer of a run. */
  void accept(PartitionLog partition, RunBlock block, List<OpenWait> ended) {
    boolean last = (block.flags() & BlockHeader.FLAG_LAST) != 0;
    accept(partition, block.mapAttempt(), block.sequence(), last, ended);
  }

  /** Error for every request to an expired log. */
  SluiceException expired() {
    return new SluiceException(
        StatusCode.EXPIRED,
        key + ": the shuffle was unregistered or its application's lease expired");
  }

  /** Removes all partitions and attempts. */
  void clear() {
    totals.addStored(-storedBytes);
    totals.addPartitions(-partitions.count());
    addMetadata(-metadataBytes);
    totals.addAttempts(-attempts.count());
    attempts = new AttemptTable();
    storedBytes = 0;
    largestPartitionBytes = 0;
    partitions.clear();
  }

  private void addMetadata(long bytes) {
    metadataBytes += bytes;
    totals.addMetadata(bytes);
  }
}
