package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes lost runs and damaged blocks from a log and recounts the complete attempts without them.
 * Thread-safe with the lock of its {@link LogState}.
 */
final class LogLosses {
  private final LogState logState;
  private final LogTotals totals;

  LogLosses(LogState logState, LogTotals totals) {
    this.logState = logState;
    this.totals = totals;
  }

  /** See {@link ShuffleLog#lose}. */
  List<Integer> lose(Set<StoredRun> lost) {
    List<OpenWait> ended = new ArrayList<>();
    List<Integer> affected = new ArrayList<>();
    synchronized (logState.lock) {
      if (logState.state != LogState.State.LIVE) {
        return List.of();
      }
      for (PartitionLog partition : logState.sorted()) {
        if (loseIn(partition, lost, ended)) {
          affected.add(partition.index);
        }
      }
      logState.runs.removeAll(lost);
      if (!affected.isEmpty()) {
        totals.lostBlocks();
      }
    }
    lost.forEach(StoredRun::discard);
    ended.forEach(OpenWait::run);
    return affected;
  }

  /** See {@link ShuffleLog#loseBlocks}. */
  List<DamagedBlock> loseBlocks(StoredRun run, List<DamagedBlock> blocks) {
    List<OpenWait> ended = new ArrayList<>();
    List<DamagedBlock> lost = new ArrayList<>();
    synchronized (logState.lock) {
      RunTable.Entry entry = logState.state == LogState.State.LIVE ? logState.runs.find(run) : null;
      if (entry == null) {
        return List.of();
      }
      entry.damaged = true;
      Map<Integer, List<DamagedBlock>> byPartition =
          blocks.stream().collect(Collectors.groupingBy(DamagedBlock::partition));
      byPartition.forEach(
          (index, damaged) -> {
            PartitionLog partition = logState.find(index);
            if (partition != null) {
              lost.addAll(loseIn(partition, run, damaged, ended));
            }
          });
      if (!lost.isEmpty()) {
        totals.lostBlocks();
      }
    }
    ended.forEach(OpenWait::run);
    return lost;
  }

  private List<DamagedBlock> loseIn(
      PartitionLog partition, StoredRun run, List<DamagedBlock> damaged, List<OpenWait> ended) {
    int extents = partition.extents().count();
    List<DamagedBlock> lost = partition.lose(run, damaged);
    if (lost.isEmpty()) {
      return lost;
    }
    logState.addExtents(partition.extents().count() - extents);
    long attemptBytes = partition.attempts().metadataBytes();
    for (DamagedBlock block : lost) {
      int ordinal = logState.attempts.find(block.listed().mapAttempt());
      if (ordinal >= 0) {
        partition.attempts().forget(ordinal);
      }
    }
    logState.forgotAttempts(attemptBytes - partition.attempts().metadataBytes());
    countInMemory(partition, ended);
    return lost;
  }

  /** See {@link ShuffleLog#recount}. */
  boolean recount(StoredRun run, int partition, List<RunBlock> blocks) {
    List<OpenWait> ended = new ArrayList<>();
    synchronized (logState.lock) {
      if (logState.state != LogState.State.LIVE || logState.runs.find(run) == null) {
        return false;
      }
      PartitionLog found = logState.find(partition);
      if (found != null) {
        for (RunBlock block : blocks) {
          logState.accept(found, block, ended);
        }
      }
    }
    ended.forEach(OpenWait::run);
    return true;
  }

  /**
   * Replaces extents of a partition by one extent in a run, with the lock held. If the run was lost
   * after it was added, the extent is lost.
   */
  void moveTo(StoredRun run, long fileOffset, int index, long start, long length) {
    PartitionLog partition = logState.find(index);
    logState.addExtents(
        partition.extents().replace(new Extent.InFile(run, fileOffset, length, start)));
    if (logState.runs.find(run) == null) {
      // The run's disk was lost after the run was added. A wait for these blocks ends by its
      // timeout.
      loseIn(partition, Set.of(run), new ArrayList<>());
    }
  }

  private boolean loseIn(PartitionLog partition, Set<StoredRun> lost, List<OpenWait> ended) {
    long attemptBytes = partition.attempts().metadataBytes();
    if (!partition.lose(lost)) {
      return false;
    }
    logState.forgotAttempts(attemptBytes);
    countInMemory(partition, ended);
    return true;
  }

  /** Counts the blocks in memory; those that were counted before are ignored. */
  private void countInMemory(PartitionLog partition, List<OpenWait> ended) {
    for (int i = 0; i < partition.extents().count(); i++) {
      if (partition.extents().isInMemory(i)) {
        countInMemory(partition, (Extent.InMemory) partition.extents().get(i), ended);
      }
    }
  }

  private void countInMemory(PartitionLog partition, Extent.InMemory extent, List<OpenWait> ended) {
    ByteBuf bytes = extent.bytes();
    int end = bytes.writerIndex();
    for (int at = 0; at < end; ) {
      BlockHeader block;
      try {
        block = BlockHeader.read(bytes, at, end);
      } catch (BlockFormatException e) {
        throw new IllegalStateException(
            "invalid block in memory, although it was verified when it arrived", e);
      }
      logState.accept(partition, block.mapAttempt(), block.sequence(), block.isLast(), ended);
      at += block.blockLength();
    }
  }
}
