package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Arrays;

/**
 * Gives contents as they come, whatever is missing before them. Only parts of a content that spans
 * blocks are held, until all of them are there.
 *
 * <p>A block says whether its content goes on in the next one, not whether it began in the one
 * before. That is known of the block before, if it has come; else from the records that begin in
 * the block, because all those of a content count in its first block. What remains unclear, a block
 * without records behind a hole, is held.
 */
final class AnyOrder implements DeliveryOrder {
  private final ReadyBlocks ready;

  AnyOrder(ReadyBlocks ready) {
    this.ready = ready;
  }

  @Override
  public void accept(PartitionProgress progress, int place, BlockHeader header, byte[] content)
      throws SluiceException {
    int sequence = header.sequence();
    int length = header.uncompressedLength();
    ReceivedBlocks received = progress.received();
    ready.checkLength(progress, place, length);
    received.add(place, sequence, header.isLast());
    if (!header.isContinued() && isStart(progress, place, sequence, header.recordCount())) {
      ready.add(progress, place, header.recordCount(), content, length);
      join(progress, place, sequence + 1);
    } else {
      progress
          .held()
          .put(
              place,
              sequence,
              new HeldBlocks.Block(
                  Arrays.copyOf(content, length), header.recordCount(), header.isContinued()));
      join(progress, place, sequence);
    }
    if (received.isWhole(place) && progress.held().hasAny(place)) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "attempt "
              + progress.expected().attempt(place)
              + " in partition "
              + progress.partition()
              + " has parts of a content that do not join");
    }
  }

  private static boolean isStart(
      PartitionProgress progress, int place, int sequence, int recordCount) {
    if (sequence == 0) {
      return true;
    }
    if (progress.received().has(place, sequence - 1)) {
      HeldBlocks.Block before = progress.held().get(place, sequence - 1);
      return before == null || !before.isContinued();
    }
    return recordCount > 0;
  }

  /** Joins the content that has a part at {@code from}, if it is all there, and what follows it. */
  private void join(PartitionProgress progress, int place, int from) throws SluiceException {
    HeldBlocks held = progress.held();
    int at = from;
    while (true) {
      int end = at;
      HeldBlocks.Block block = held.get(place, end);
      while (block != null && block.isContinued()) {
        block = held.get(place, ++end);
      }
      if (block == null) {
        return;
      }
      int start = at;
      while (!isStart(progress, place, start, held.get(place, start).records())) {
        start--;
        if (held.get(place, start) == null) {
          return;
        }
      }
      give(progress, place, start, end);
      at = end + 1;
    }
  }

  private void give(PartitionProgress progress, int place, int start, int end)
      throws SluiceException {
    HeldBlocks held = progress.held();
    long length = 0;
    for (int i = start; i <= end; i++) {
      length += held.get(place, i).content().length;
      ready.checkLength(progress, place, length);
    }
    if (start == end) {
      HeldBlocks.Block only = held.remove(place, start);
      ready.add(progress, place, only.records(), only.content(), only.content().length);
      return;
    }
    byte[] content = new byte[(int) length];
    int filled = 0;
    int records = 0;
    for (int i = start; i <= end; i++) {
      HeldBlocks.Block part = held.remove(place, i);
      System.arraycopy(part.content(), 0, content, filled, part.content().length);
      filled += part.content().length;
      records += part.records();
    }
    ready.add(progress, place, records, content, filled);
  }
}
