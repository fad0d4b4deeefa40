package io.sluice.coordinator.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys and values of a metadata log in RocksDB, version 1. The first byte of a key is its type.
 * Numbers in keys are big-endian, because keys sort by them; values are little-endian.
 *
 * <pre>
 *  "F": format of the log
 *   0    4 magic              "SLML"
 *   4    2 version            1, for all keys and values; a reader refuses unknown versions
 *   6    2 reserved           zero
 *  "M": the snapshot; absent if there is none
 *   0    8 index              the snapshot is the state after this record, at least 1
 *   8    4 count              number of "S" entries
 *  12    4 reserved           zero
 *
 *  "R", 8 bytes index (from 1): one record after the snapshot; the value is one LoggedRecord
 *
 *  "S", 4 bytes number (from 0): one record of the snapshot; the value is one LoggedRecord
 * </pre>
 *
 * Indexes of "R" continue the index of the snapshot without gaps; numbers of "S" have no gaps
 * either. RocksDB adds the checksums: one per record of its write-ahead log and one per block of
 * its tables.
 */
final class LogFormat {
  static final int VERSION = 1;

  private static final int MAGIC = 'S' | 'L' << 8 | 'M' << 16 | 'L' << 24;
  private static final int FORMAT_LENGTH = 8;
  private static final int SNAPSHOT_LENGTH = 16;
  private static final byte RECORD = 'R';
  private static final byte SNAPSHOT_RECORD = 'S';

  private LogFormat() {}

  /**
   * The snapshot's entry.
   *
   * @param index the snapshot is the state after this record
   * @param count number of records of the snapshot
   */
  record Snapshot(long index, int count) {}

  static byte[] formatKey() {
    return new byte[] {'F'};
  }

  static byte[] snapshotKey() {
    return new byte[] {'M'};
  }

  static byte[] recordPrefix() {
    return new byte[] {RECORD};
  }

  static byte[] snapshotPrefix() {
    return new byte[] {SNAPSHOT_RECORD};
  }

  /** Exclusive upper bound of the keys of records. */
  static byte[] recordEnd() {
    return new byte[] {RECORD + 1};
  }

  /** Exclusive upper bound of the keys of snapshot records. */
  static byte[] snapshotEnd() {
    return new byte[] {SNAPSHOT_RECORD + 1};
  }

  static byte[] recordKey(long index) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(RECORD).putLong(index).array();
  }

  static byte[] snapshotRecordKey(int number) {
    return ByteBuffer.allocate(1 + Integer.BYTES).put(SNAPSHOT_RECORD).putInt(number).array();
  }

  static byte[] format() {
    return little(FORMAT_LENGTH)
        .putInt(MAGIC)
        .putShort((short) VERSION)
        .putShort((short) 0)
        .array();
  }

  static byte[] encode(Snapshot snapshot) {
    return little(SNAPSHOT_LENGTH)
        .putLong(snapshot.index())
        .putInt(snapshot.count())
        .putInt(0)
        .array();
  }

  /**
   * Checks the value of {@link #formatKey}.
   *
   * @throws IOException if it is not a metadata log, or has an unknown version
   */
  static void checkFormat(byte[] value) throws IOException {
    if (value.length != FORMAT_LENGTH || little(value).getInt(0) != MAGIC) {
      throw new IOException("not a coordinator's metadata log");
    }
    int version = little(value).getShort(4);
    if (version != VERSION) {
      throw new IOException("expected version " + VERSION + ", found " + version);
    }
  }

  static Snapshot decodeSnapshot(byte[] value) throws IOException {
    if (value.length != SNAPSHOT_LENGTH) {
      throw new IOException(
          "snapshot entry: expected " + SNAPSHOT_LENGTH + " bytes, found " + value.length);
    }
    ByteBuffer in = little(value);
    Snapshot snapshot = new Snapshot(in.getLong(), in.getInt());
    if (snapshot.index() < 1 || snapshot.count() < 0 || in.getInt() != 0) {
      throw new IOException("snapshot entry: invalid values: " + snapshot);
    }
    return snapshot;
  }

  /**
   * Checks the key of the record that follows {@code index - 1}.
   *
   * @throws IOException if the key is of another record
   */
  static void checkRecordKey(byte[] key, long index) throws IOException {
    if (key.length != 1 + Long.BYTES) {
      throw new IOException(
          "record key: expected " + (1 + Long.BYTES) + " bytes, found " + key.length);
    }
    long found = ByteBuffer.wrap(key).getLong(1);
    if (found != index) {
      throw new IOException("expected record " + index + ", found record " + found);
    }
  }

  /** Checks the key of a record of the snapshot. */
  static void checkSnapshotRecordKey(byte[] key, int number) throws IOException {
    if (key.length != 1 + Integer.BYTES || ByteBuffer.wrap(key).getInt(1) != number) {
      throw new IOException("snapshot: record " + number + " is missing");
    }
  }

  private static ByteBuffer little(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
