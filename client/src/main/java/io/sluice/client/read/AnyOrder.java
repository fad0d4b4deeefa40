package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Arrays;

/**
 * Delivers each batch as soon as all its blocks have arrived, even if earlier batches are missing.
 * Only blocks of an incomplete batch are buffered.
 *
 * <p>A batch is one block, or several blocks of which all but the last have the CONTINUED flag. A
 * block has no flag for the start of a batch; two rules detect it. If the previous block has
 * arrived, its CONTINUED flag decides. Otherwise a block with records starts a batch, because the
 * first block of a batch counts all records of the batch. A block without records whose predecessor
 * is missing is buffered until the predecessor arrives.
 */
final class AnyOrder implements DeliveryOrder {
  private final ReadyBatches ready;

  AnyOrder(ReadyBatches ready) {
    this.ready = ready;
  }

  @Override
  public void accept(
      PartitionProgress progress, int attemptIndex, BlockHeader header, byte[] content)
      throws SluiceException {
    int sequence = header.sequence();
    int length = header.uncompressedLength();
    ReceivedBlocks received = progress.delivered();
    ready.checkLength(progress, attemptIndex, length);
    received.add(attemptIndex, sequence, header.isLast());
    if (!header.isContinued() && isStart(progress, attemptIndex, sequence, header.recordCount())) {
      ready.add(progress, attemptIndex, header.recordCount(), content, length);
      join(progress, attemptIndex, sequence + 1);
    } else {
      progress
          .pending()
          .put(
              attemptIndex,
              sequence,
              new PendingBlocks.Block(
                  Arrays.copyOf(content, length), header.recordCount(), header.isContinued()));
      join(progress, attemptIndex, sequence);
    }
    if (received.isWhole(attemptIndex) && progress.pending().hasAny(attemptIndex)) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "attempt "
              + progress.expected().attempt(attemptIndex)
              + " in partition "
              + progress.partition()
              + " has CONTINUED blocks that do not form whole batches");
    }
  }

  private static boolean isStart(
      PartitionProgress progress, int attemptIndex, int sequence, int recordCount) {
    if (sequence == 0) {
      return true;
    }
    if (progress.delivered().has(attemptIndex, sequence - 1)) {
      PendingBlocks.Block before = progress.pending().get(attemptIndex, sequence - 1);
      return before == null || !before.isContinued();
    }
    return recordCount > 0;
  }

  /**
   * Delivers the batch with the block at {@code from} if it is complete, and the complete batches
   * after it.
   */
  private void join(PartitionProgress progress, int attemptIndex, int from) throws SluiceException {
    PendingBlocks pending = progress.pending();
    int at = from;
    while (true) {
      int end = at;
      PendingBlocks.Block block = pending.get(attemptIndex, end);
      while (block != null && block.isContinued()) {
        block = pending.get(attemptIndex, ++end);
      }
      if (block == null) {
        return;
      }
      int start = at;
      while (!isStart(progress, attemptIndex, start, pending.get(attemptIndex, start).records())) {
        start--;
        if (pending.get(attemptIndex, start) == null) {
          return;
        }
      }
      deliver(progress, attemptIndex, start, end);
      at = end + 1;
    }
  }

  private void deliver(PartitionProgress progress, int attemptIndex, int start, int end)
      throws SluiceException {
    PendingBlocks pending = progress.pending();
    long length = 0;
    for (int i = start; i <= end; i++) {
      length += pending.get(attemptIndex, i).content().length;
      ready.checkLength(progress, attemptIndex, length);
    }
    if (start == end) {
      PendingBlocks.Block only = pending.remove(attemptIndex, start);
      ready.add(progress, attemptIndex, only.records(), only.content(), only.content().length);
      return;
    }
    byte[] content = new byte[(int) length];
    int filled = 0;
    int records = 0;
    for (int i = start; i <= end; i++) {
      PendingBlocks.Block part = pending.remove(attemptIndex, i);
      System.arraycopy(part.content(), 0, content, filled, part.content().length);
      filled += part.content().length;
      records += part.records();
    }
    ready.add(progress, attemptIndex, records, content, filled);
  }
}
