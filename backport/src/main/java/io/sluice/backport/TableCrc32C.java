package io.sluice.backport;

import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/**
 * CRC-32C with tables, eight bytes at a time ("slicing by 8", Kounavis and Berry, 2005). Not
 * thread-safe.
 */
final class TableCrc32C implements Checksum {
  /** The polynomial of Castagnoli, lowest bit first. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private static final int SLICE = 8;
  private static final int VALUES = 256;
  private static final int CHUNK_BYTES = 8 << 10;

  /** {@code TABLES[n][b]}: checksum of byte b followed by n zero bytes. */
  private static final int[][] TABLES = tables();

  private int inverted = -1;

  /** Bytes of a buffer without an array; created at the first one. */
  private byte[] chunk;

  private static int[][] tables() {
    int[][] tables = new int[SLICE][VALUES];
    for (int value = 0; value < VALUES; value++) {
      int crc = value;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
      }
      tables[0][value] = crc;
    }
    for (int n = 1; n < SLICE; n++) {
      for (int value = 0; value < VALUES; value++) {
        int crc = tables[n - 1][value];
        tables[n][value] = crc >>> 8 ^ tables[0][crc & 0xFF];
      }
    }
    return tables;
  }

  @Override
  public void update(int value) {
    inverted = inverted >>> 8 ^ TABLES[0][(inverted ^ value) & 0xFF];
  }

  @Override
  public void update(byte[] bytes, int offset, int length) {
    ObjectsMethods.checkFromIndexSize(offset, length, bytes.length);
    int[] t0 = TABLES[0];
    int[] t1 = TABLES[1];
    int[] t2 = TABLES[2];
    int[] t3 = TABLES[3];
    int[] t4 = TABLES[4];
    int[] t5 = TABLES[5];
    int[] t6 = TABLES[6];
    int[] t7 = TABLES[7];
    int crc = inverted;
    int index = offset;
    int end = offset + length;
    for (; index <= end - SLICE; index += SLICE) {
      int low = crc ^ littleEndian(bytes, index);
      int high = littleEndian(bytes, index + Integer.BYTES);
      crc =
          t7[low & 0xFF]
              ^ t6[low >>> 8 & 0xFF]
              ^ t5[low >>> 16 & 0xFF]
              ^ t4[low >>> 24]
              ^ t3[high & 0xFF]
              ^ t2[high >>> 8 & 0xFF]
              ^ t1[high >>> 16 & 0xFF]
              ^ t0[high >>> 24];
    }
    for (; index < end; index++) {
      crc = crc >>> 8 ^ t0[(crc ^ bytes[index]) & 0xFF];
    }
    inverted = crc;
  }

  private static int littleEndian(byte[] bytes, int index) {
    return (bytes[index] & 0xFF)
        | (bytes[index + 1] & 0xFF) << 8
        | (bytes[index + 2] & 0xFF) << 16
        | bytes[index + 3] << 24;
  }

  /** Adds the remaining bytes, and moves the position to the limit. Borrows. */
  public void update(ByteBuffer buffer) {
    if (chunk == null) {
      chunk = new byte[CHUNK_BYTES];
    }
    while (buffer.hasRemaining()) {
      int length = Math.min(chunk.length, buffer.remaining());
      buffer.get(chunk, 0, length);
      update(chunk, 0, length);
    }
  }

  @Override
  public long getValue() {
    return ~inverted & 0xFFFFFFFFL;
  }

  @Override
  public void reset() {
    inverted = -1;
  }
}
