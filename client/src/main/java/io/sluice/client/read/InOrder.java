package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;

/**
 * Delivers the batches of an attempt in the order in which its task added them; buffers blocks that
 * arrive early.
 */
final class InOrder implements DeliveryOrder {
  private final ReadyBatches ready;

  InOrder(ReadyBatches ready) {
    this.ready = ready;
  }

  /** A batch of several blocks, as far as they have arrived. */
  static final class PartialBatch {
    private byte[] bytes;
    private int length;
    private int records;

    PartialBatch(int capacity) {
      this.bytes = new byte[capacity];
    }

    private void add(byte[] part, int partLength, int partRecords) {
      if (bytes.length - length < partLength) {
        long wanted = Math.max((long) length + partLength, bytes.length * 2L);
        bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 16));
      }
      System.arraycopy(part, 0, bytes, length, partLength);
      length += partLength;
      records += partRecords;
    }
  }

  @Override
  public void accept(
      PartitionProgress progress, int attemptIndex, BlockHeader header, byte[] content)
      throws SluiceException {
    int sequence = header.sequence();
    int length = header.uncompressedLength();
    ReceivedBlocks received = progress.delivered();
    if (sequence > received.next(attemptIndex)) {
      progress
          .pending()
          .put(
              attemptIndex,
              sequence,
              new PendingBlocks.Block(
                  Arrays.copyOf(content, length), header.recordCount(), header.isContinued()));
      received.add(attemptIndex, sequence, header.isLast());
      return;
    }
    deliver(progress, attemptIndex, content, length, header.recordCount(), header.isContinued());
    received.add(attemptIndex, sequence, header.isLast());
    for (int next = sequence + 1; next < received.next(attemptIndex); next++) {
      PendingBlocks.Block pending = progress.pending().remove(attemptIndex, next);
      deliver(
          progress,
          attemptIndex,
          pending.content(),
          pending.content().length,
          pending.records(),
          pending.isContinued());
    }
  }

  private void deliver(
      PartitionProgress progress,
      int attemptIndex,
      byte[] content,
      int length,
      int records,
      boolean isContinued)
      throws SluiceException {
    PartialBatch partial = progress.partialBatch(attemptIndex);
    ready.checkLength(progress, attemptIndex, (partial == null ? 0L : partial.length) + length);
    if (partial == null && !isContinued) {
      ready.add(progress, attemptIndex, records, content, length);
      return;
    }
    if (partial == null) {
      partial = new PartialBatch((int) Math.min(length * 2L, Integer.MAX_VALUE - 16));
      progress.startPartialBatch(attemptIndex, partial);
    }
    partial.add(content, length, records);
    if (!isContinued) {
      progress.endPartialBatch(attemptIndex);
      ready.add(progress, attemptIndex, partial.records, partial.bytes, partial.length);
    }
  }
}
