package io.sluice.common.block;

import java.util.zip.CRC32C;

/**
 * Checksums of batches of records, whose sum is the checksum of a {@link Receipt}. A batch is the
 * records that a map task adds at a time, as the engine serialized them. Not thread-safe.
 */
public final class BatchChecksum {
  private static final long RECORDS_FACTOR = 0x9E3779B97F4A7C15L;
  private static final long MIX_FACTOR = 0xD6E8FEB86659FD93L;
  private static final int HALF = 32;

  private final CRC32C crc = new CRC32C();

  /**
   * Returns the checksum of one batch: its CRC-32C and length, and the number of records, mixed so
   * that sums of different batches differ.
   *
   * @param bytes borrows
   */
  public long of(byte[] bytes, int offset, int length, int records) {
    crc.reset();
    crc.update(bytes, offset, length);
    return mixed((crc.getValue() | (long) length << HALF) + records * RECORDS_FACTOR);
  }

  private static long mixed(long value) {
    long mixed = (value ^ value >>> HALF) * MIX_FACTOR;
    mixed = (mixed ^ mixed >>> HALF) * MIX_FACTOR;
    return mixed ^ mixed >>> HALF;
  }
}
