package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** One append: sorts out which blocks of a frame are new, and where each stretch of them goes. */
final class FrameAppender {
  private final LogState content;
  private final LogConfig config;
  private final BlockBatch batch;
  private final List<OpenWait> ended;
  private final LoggedFrame frame;
  private final List<Extent.InMemory> extents = new ArrayList<>();
  private final List<Integer> full = new ArrayList<>();
  private int keptBlocks;
  private long keptBytes;

  FrameAppender(
      LogState content,
      LogConfig config,
      ByteBuf body,
      long heldBytes,
      long arrival,
      BlockBatch batch,
      List<OpenWait> ended) {
    this.content = content;
    this.config = config;
    this.batch = batch;
    this.ended = ended;
    this.frame = new LoggedFrame(body, heldBytes, arrival);
  }

  AppendResult run() {
    int block = 0;
    while (block < batch.count()) {
      block = appendPartition(block);
    }
    frame.extents = extents.toArray(new Extent.InMemory[0]);
    return new AppendResult(keptBlocks, keptBytes, batch.count() - keptBlocks, full);
  }

  /** The frame, if any of its blocks is new; else null. */
  LoggedFrame kept() {
    return extents.isEmpty() ? null : frame;
  }

  /** Appends the neighbouring blocks of one partition; returns the number of the next block. */
  private int appendPartition(int first) {
    int index = batch.partition(first);
    PartitionLog partition = content.findOrAdd(index);
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
    content.grown(partition.length());
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
    if (!content.accept(
        partition, batch.attempt(block), batch.sequence(block), batch.isLast(block), ended)) {
      return false;
    }
    content.mark(partition, batch.mapIndex(block), batch.blockLength(block), config.markBytes());
    keptBlocks++;
    return true;
  }
}
