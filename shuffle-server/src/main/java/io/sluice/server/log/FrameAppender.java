package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * Appends one frame: finds its new blocks and adds an extent for each contiguous sequence of them.
 */
final class FrameAppender {
  private final LogState logState;
  private final LogConfig config;
  private final BlockBatch batch;
  private final List<OpenWait> ended;
  private final LoggedFrame frame;
  private final List<Extent.InMemory> extents = new ArrayList<>();
  private final List<Integer> full = new ArrayList<>();
  private int keptBlocks;
  private long keptBytes;

  FrameAppender(
      LogState logState,
      LogConfig config,
      ByteBuf body,
      long reservedBytes,
      long arrival,
      BlockBatch batch,
      List<OpenWait> ended) {
    this.logState = logState;
    this.config = config;
    this.batch = batch;
    this.ended = ended;
    this.frame = new LoggedFrame(body, reservedBytes, arrival);
  }

  AppendResult run() {
    int block = 0;
    while (block < batch.count()) {
      block = appendPartition(block);
    }
    frame.extents = extents.toArray(new Extent.InMemory[0]);
    return new AppendResult(keptBlocks, keptBytes, batch.count() - keptBlocks, full);
  }

  /** The frame, if it has new blocks; otherwise null. */
  LoggedFrame kept() {
    return extents.isEmpty() ? null : frame;
  }

  /** Appends the adjacent blocks of one partition; returns the index of the next block. */
  private int appendPartition(int first) {
    int index = batch.partition(first);
    PartitionLog partition = logState.findOrAdd(index);
    int stretchStart = -1;
    int block = first;
    for (; block < batch.count() && batch.partition(block) == index; block++) {
      if (accept(partition, block)) {
        stretchStart = stretchStart < 0 ? batch.offset(block) : stretchStart;
      } else if (stretchStart >= 0) {
        append(partition, stretchStart, batch.offset(block));
        stretchStart = -1;
      }
    }
    if (stretchStart >= 0) {
      append(partition, stretchStart, batch.offset(block));
    }
    logState.grown(partition.length());
    if (partition.length() > config.hugePartitionBytes()) {
      full.add(index);
    }
    return block;
  }

  private void append(PartitionLog partition, int start, int end) {
    Extent.InMemory extent =
        new Extent.InMemory(frame, partition, start, end - start, partition.length());
    partition.extents().append(extent);
    extents.add(extent);
    keptBytes += extent.length;
  }

  private boolean accept(PartitionLog partition, int block) {
    if (!logState.accept(
        partition, batch.attempt(block), batch.sequence(block), batch.isLast(block), ended)) {
      return false;
    }
    logState.mark(partition, batch.mapIndex(block), batch.blockLength(block), config.markBytes());
    keptBlocks++;
    return true;
  }
}
