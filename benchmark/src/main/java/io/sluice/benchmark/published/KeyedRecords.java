package io.sluice.benchmark.published;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Serialized records of {@value #BYTES} bytes: a key of eight bytes, the length of the value, and
 * the value. Used by one thread.
 */
final class KeyedRecords {
  static final int BYTES = 100;

  private static final int VALUE_BYTES = BYTES - Long.BYTES - Integer.BYTES;

  private long count;
  private long keys;
  private long valueBytes;

  /** A record as an object, as an engine without a binary row format has it. */
  private static final class KeyedRecord {
    final long key;
    final byte[] value;

    KeyedRecord(long key, byte[] value) {
      this.key = key;
      this.value = value;
    }
  }

  /** Returns {@code count} records with random contents. */
  static byte[] random(int count, RandomGenerator random) {
    ByteBuffer records = ByteBuffer.allocate(count * BYTES);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < count; i++) {
      random.nextBytes(value);
      records.putLong(random.nextLong()).putInt(VALUE_BYTES).put(value);
    }
    return records.array();
  }

  /**
   * Deserializes all records.
   *
   * @param records borrowed; its position moves to its limit
   */
  void read(ByteBuffer records) {
    while (records.hasRemaining()) {
      long key = records.getLong();
      byte[] value = new byte[records.getInt()];
      records.get(value);
      take(new KeyedRecord(key, value));
    }
  }

  private void take(KeyedRecord read) {
    count++;
    keys += read.key;
    valueBytes += read.value.length;
  }

  /** Number of records that were read. */
  long count() {
    return count;
  }

  /** Sum of their keys, which overflows. */
  long keys() {
    return keys;
  }

  /** Bytes of their values. */
  long valueBytes() {
    return valueBytes;
  }
}
