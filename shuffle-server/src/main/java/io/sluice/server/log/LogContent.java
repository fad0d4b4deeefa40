package io.sluice.server.log;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The partitions and attempts of one shuffle, and who waits for them. Guarded by the lock of its
 * {@link ShuffleLog}.
 */
final class LogContent {
  private final LogTotals totals;
  private final Map<Integer, PartitionLog> partitions = new HashMap<>();
  AttemptTable attempts = new AttemptTable();
  final WaitTable waits = new WaitTable();
  private long storedBytes;

  LogContent(LogTotals totals) {
    this.totals = totals;
  }

  int partitionCount() {
    return partitions.size();
  }

  long storedBytes() {
    return storedBytes;
  }

  /** A partition, or null if it has no block. */
  PartitionLog find(int index) {
    return partitions.get(index);
  }

  PartitionLog findOrAdd(int index) {
    PartitionLog partition = partitions.get(index);
    if (partition == null) {
      partition = new PartitionLog(index);
      partitions.put(index, partition);
      totals.addPartitions(1);
    }
    return partition;
  }

  Collection<PartitionLog> all() {
    return partitions.values();
  }

  /** All partitions at this moment, by index. */
  List<PartitionLog> sorted() {
    List<PartitionLog> all = new ArrayList<>(partitions.values());
    all.sort((a, b) -> Integer.compare(a.index, b.index));
    return all;
  }

  void addStored(long bytes) {
    storedBytes += bytes;
    totals.addStored(bytes);
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
      waits.sawAttempt(attempt, ordinal);
    }
    AttemptProgress.Verdict verdict = partition.attempts().accept(ordinal, sequence, last);
    if (verdict == AttemptProgress.Verdict.COMPLETED && !waits.isEmpty()) {
      waits.completed(partition.index, ordinal, ended);
    }
    return switch (verdict) {
      case DUPLICATE, CONTRADICTION -> false;
      case KEPT, COMPLETED -> true;
    };
  }

  void clear() {
    totals.addStored(-storedBytes);
    totals.addPartitions(-partitions.size());
    totals.addAttempts(-attempts.count());
    attempts = new AttemptTable();
    storedBytes = 0;
    partitions.clear();
  }
}
