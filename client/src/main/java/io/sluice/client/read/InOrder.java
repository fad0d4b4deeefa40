package io.sluice.client.read;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;

/** Gives the contents of an attempt in the order of their adding; holds what comes too early. */
final class InOrder implements DeliveryOrder {
  private final ReadyBlocks ready;

  InOrder(ReadyBlocks ready) {
    this.ready = ready;
  }

  /** The parts of a content so far. */
  static final class Joining {
    private byte[] bytes;
    private int length;
    private int records;

    Joining(int capacity) {
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
  public void accept(PartitionProgress progress, int place, BlockHeader header, byte[] content)
      throws SluiceException {
    int sequence = header.sequence();
    int length = header.uncompressedLength();
    ReceivedBlocks received = progress.received();
    if (sequence > received.next(place)) {
      progress
          .held()
          .put(
              place,
              sequence,
              new HeldBlocks.Block(
                  Arrays.copyOf(content, length), header.recordCount(), header.isContinued()));
      received.add(place, sequence, header.isLast());
      return;
    }
    give(progress, place, content, length, header.recordCount(), header.isContinued());
    received.add(place, sequence, header.isLast());
    for (int next = sequence + 1; next < received.next(place); next++) {
      HeldBlocks.Block held = progress.held().remove(place, next);
      give(
          progress,
          place,
          held.content(),
          held.content().length,
          held.records(),
          held.isContinued());
    }
  }

  private void give(
      PartitionProgress progress,
      int place,
      byte[] content,
      int length,
      int records,
      boolean isContinued)
      throws SluiceException {
    Joining joining = progress.joining(place);
    ready.checkLength(progress, place, (joining == null ? 0L : joining.length) + length);
    if (joining == null && !isContinued) {
      ready.add(progress, place, records, content, length);
      return;
    }
    if (joining == null) {
      joining = new Joining((int) Math.min(length * 2L, Integer.MAX_VALUE - 16));
      progress.startJoining(place, joining);
    }
    joining.add(content, length, records);
    if (!isContinued) {
      progress.endJoining(place);
      ready.add(progress, place, joining.records, joining.bytes, joining.length);
    }
  }
}
