package io.sluice.common.block;

import io.netty.buffer.ByteBuf;

/**
 * Totals of all blocks that a map attempt wrote for one partition. The header of the LAST block
 * contains it, so that a reader can detect missing and duplicate data.
 *
 * @param records 0 to {@link #MAX_COUNT}
 * @param bytes uncompressed, 0 to {@link #MAX_COUNT}
 * @param checksum sum of the {@link BatchChecksum}s of all batches, in any order
 */
public record Receipt(long records, long bytes, long checksum) {
  /** Largest count: 48 bits. */
  public static final long MAX_COUNT = (1L << 48) - 1;

  /** For a block that is not the last of its attempt and partition. */
  public static final Receipt NONE = new Receipt(0, 0, 0);

  public Receipt {
    if (records < 0 || records > MAX_COUNT || bytes < 0 || bytes > MAX_COUNT) {
      throw new IllegalArgumentException(
          "receipt: expected counts of 0 to "
              + MAX_COUNT
              + ", found records="
              + records
              + " bytes="
              + bytes);
    }
  }

  /**
   * For an attempt with one block in the partition, whose payload is its records: not encoded,
   * compressed or encrypted.
   */
  static Receipt ofOnlyBlock(BlockHeader header, byte[] payload) {
    return new Receipt(
        header.recordCount(),
        header.uncompressedLength(),
        payload.length == 0
            ? 0
            : new BatchChecksum().of(payload, 0, payload.length, header.recordCount()));
  }

  /**
   * Reads the receipt of the block at {@code index}, whose checksum was verified. Borrows {@code
   * buffer}.
   */
  public static Receipt read(ByteBuf buffer, int index) {
    return new Receipt(
        count(buffer, index + BlockHeader.RECEIPT_RECORDS_AT),
        count(buffer, index + BlockHeader.RECEIPT_BYTES_AT),
        buffer.getLongLE(index + BlockHeader.RECEIPT_CHECKSUM_AT));
  }

  void write(ByteBuf buffer, int index) {
    setCount(buffer, index + BlockHeader.RECEIPT_RECORDS_AT, records);
    setCount(buffer, index + BlockHeader.RECEIPT_BYTES_AT, bytes);
    buffer.setLongLE(index + BlockHeader.RECEIPT_CHECKSUM_AT, checksum);
  }

  private static long count(ByteBuf buffer, int at) {
    return buffer.getUnsignedIntLE(at) | (long) buffer.getUnsignedShortLE(at + 4) << 32;
  }

  private static void setCount(ByteBuf buffer, int at, long count) {
    buffer.setIntLE(at, (int) count);
    buffer.setShortLE(at + 4, (int) (count >>> 32));
  }
}
