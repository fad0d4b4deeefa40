package io.sluice.common.block;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException.Reason;

/** Sealing and verifying whole blocks in place. Every method borrows its buffers. */
public final class BlockFormat {
  private BlockFormat() {}

  /**
   * Completes the block at {@code index} by writing its header with the checksum; the payload must
   * already follow the space of the header. A LAST block gets the receipt of an attempt that has no
   * other block in the partition, and whose payload is its records.
   */
  public static void seal(ByteBuf buffer, int index, BlockHeader header) {
    Receipt receipt = Receipt.NONE;
    if (header.isLast()) {
      byte[] payload = new byte[header.payloadLength()];
      buffer.getBytes(index + BlockHeader.LENGTH, payload);
      receipt = Receipt.ofOnlyBlock(header, payload);
    }
    seal(buffer, index, header, receipt);
  }

  /**
   * As {@link #seal(ByteBuf, int, BlockHeader)}.
   *
   * @param receipt of all blocks of the attempt in the partition; {@link Receipt#NONE} unless the
   *     block is the last
   */
  public static void seal(ByteBuf buffer, int index, BlockHeader header, Receipt receipt) {
    header.write(buffer, index);
    receipt.write(buffer, index);
    buffer.setIntLE(index + BlockHeader.CRC_AT, checksum(buffer, index, header.payloadLength()));
  }

  /**
   * Checks the block at {@code index} against its checksum.
   *
   * @param header as read from the same index
   */
  public static void verify(ByteBuf buffer, int index, BlockHeader header)
      throws BlockFormatException {
    int found = checksum(buffer, index, header.payloadLength());
    int expected = buffer.getIntLE(index + BlockHeader.CRC_AT);
    if (found != expected) {
      throw new BlockFormatException(
          Reason.BAD_CHECKSUM,
          String.format(
              "block at %d of attempt %d partition %d sequence %d: crc expected=%08x actual=%08x",
              index, header.mapAttempt(), header.partition(), header.sequence(), expected, found));
    }
  }

  /** Reads the header at {@code index} and verifies the whole block. */
  public static BlockHeader readVerified(ByteBuf buffer, int index, int end)
      throws BlockFormatException {
    BlockHeader header = BlockHeader.read(buffer, index, end);
    verify(buffer, index, header);
    return header;
  }

  private static int checksum(ByteBuf buffer, int index, int payloadLength) {
    Crc32c crc = new Crc32c();
    crc.update(buffer, index, BlockHeader.CRC_AT);
    crc.update(buffer, index + BlockHeader.LENGTH, payloadLength);
    return crc.value();
  }
}
