package io.sluice.server.log;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunBlock;
import java.util.List;

/**
 * The content of one {@link ShuffleLog}: its state, frames in memory, runs, partitions, attempts,
 * and waits. Its methods are called, and its fields used, with {@link #lock} held.
 */
final class LogState {
  /** States of a log; {@link ShuffleLog} says which follows which. */
  enum State {
    UNWRITTEN,
    LIVE,
    EXPIRED,
    /** Made for a wait that ended without a block; its users ask the store again. */
    UNUSED
  }

  /** Treating this many partitions at once keeps the lock for well under a millisecond. */
  static final int PARTITIONS_AT_ONCE = 512;

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

  /** Bytes of the partition that has grown longest. */
  long largestPartitionBytes() {
    return largestPartitionBytes;
  }

  /** A partition is this long now. */
  void grown(long partitionBytes) {
    largestPartitionBytes = Math.max(largestPartitionBytes, partitionBytes);
  }

  /** A partition, or null if it has no block. */
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

  /** All partitions at this moment, by index. */
  List<PartitionLog> sorted() {
    return partitions.sorted();
  }

  void addStored(long bytes) {
    storedBytes += bytes;
    totals.addStored(bytes);
  }

  /** There are so many more extents that do not lie in memory. */
  void addPlaces(int count) {
    addMetadata((long) count * LogFootprint.PLACE_BYTES);
  }

  /** A block has gone to the end of a partition. */
  void mark(PartitionLog partition, int mapIndex, int blockLength, int markBytes) {
    int grown = partition.marks.add(mapIndex, blockLength, markBytes);
    if (grown > 0) {
      addMetadata(grown);
    }
  }

  /** A partition has forgotten its attempts, which took so much. */
  void forgotAttempts(long metadataBytes) {
    addMetadata(-metadataBytes);
  }

  /**
   * Takes note of a block.
   *
   * @param ended where waits that this ends are added
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

  /** As the other, of a block that a run lists. */
  void accept(PartitionLog partition, RunBlock block, List<OpenWait> ended) {
    boolean last = (block.flags() & BlockHeader.FLAG_LAST) != 0;
    accept(partition, block.mapAttempt(), block.sequence(), last, ended);
  }

  /** The refusal of every request to a log that has expired. */
  SluiceException expired() {
    return new SluiceException(
        StatusCode.EXPIRED,
        key + ": the shuffle was unregistered or its application's lease ended");
  }

  /** Forgets partitions and attempts. */
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
