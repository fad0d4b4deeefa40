package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.RunBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Takes lost runs out of a log, and counts again which attempts are complete without them.
 * Thread-safe with the lock of its {@link LogState}.
 */
final class LogLosses {
  private final LogState content;
  private final LogTotals totals;

  LogLosses(LogState content, LogTotals totals) {
    this.content = content;
    this.totals = totals;
  }

  /** See {@link ShuffleLog#lose}. */
  List<Integer> lose(Set<StoredRun> gone) {
    List<OpenWait> ended = new ArrayList<>();
    List<Integer> affected = new ArrayList<>();
    synchronized (content.lock) {
      if (content.state != LogState.State.LIVE) {
        return List.of();
      }
      for (PartitionLog partition : content.sorted()) {
        if (loseIn(partition, gone, ended)) {
          affected.add(partition.index);
        }
      }
      content.runs.removeAll(gone);
      if (!affected.isEmpty()) {
        totals.lostBlocks();
      }
    }
    gone.forEach(StoredRun::discard);
    ended.forEach(OpenWait::run);
    return affected;
  }

  /** See {@link ShuffleLog#recount}. */
  boolean recount(StoredRun run, int partition, List<RunBlock> blocks) {
    List<OpenWait> ended = new ArrayList<>();
    synchronized (content.lock) {
      if (content.state != LogState.State.LIVE || content.runs.find(run) == null) {
        return false;
      }
      PartitionLog found = content.find(partition);
      if (found != null) {
        for (RunBlock block : blocks) {
          content.accept(found, block, ended);
        }
      }
    }
    ended.forEach(OpenWait::run);
    return true;
  }

  /**
   * Points a stretch of a partition into a run, with the lock held. If the run was lost since it
   * was added, the stretch is lost.
   */
  void moveTo(StoredRun run, long fileOffset, int index, long start, long length) {
    PartitionLog partition = content.find(index);
    content.addPlaces(
        partition.extents().replace(new Extent.InFile(run, fileOffset, length, start)));
    if (content.runs.find(run) == null) {
      // Its disk was lost since it was added. A wait that depends on it ends with its timeout.
      loseIn(partition, Set.of(run), new ArrayList<>());
    }
  }

  private boolean loseIn(PartitionLog partition, Set<StoredRun> gone, List<OpenWait> ended) {
    long attemptBytes = partition.attempts().metadataBytes();
    if (!partition.lose(gone)) {
      return false;
    }
    content.forgotAttempts(attemptBytes);
    for (int i = 0; i < partition.extents().count(); i++) {
      if (partition.extents().isInMemory(i)) {
        countInMemory(partition, (Extent.InMemory) partition.extents().get(i), ended);
      }
    }
    return true;
  }

  private void countInMemory(PartitionLog partition, Extent.InMemory extent, List<OpenWait> ended) {
    ByteBuf bytes = extent.bytes();
    int end = bytes.writerIndex();
    for (int at = 0; at < end; ) {
      BlockHeader block;
      try {
        block = BlockHeader.read(bytes, at, end);
      } catch (BlockFormatException e) {
        throw new IllegalStateException("a block was verified when it came", e);
      }
      content.accept(partition, block.mapAttempt(), block.sequence(), block.isLast(), ended);
      at += block.blockLength();
    }
  }
}
