package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keys and values of a catalog, version 1. The first byte of a key is the type of the record.
 * Values are little-endian; numbers in keys are big-endian where keys sort by them.
 *
 * <pre>
 *  "F": the catalog itself
 *   0    4 magic              "SLCT"
 *   4    2 version            1, of all keys and values; a reader refuses what it does not know
 *   6    2 reserved           zero
 *
 *  "R", 16 bytes run id (high 8 bytes, low 8 bytes; little-endian as in run files): a run
 *   0    4 shuffle            at least 0
 *   4    2 applicationLength  n, 1..256
 *   6    2 reserved           zero
 *   8    8 epoch              the run's order, as in its header
 *  16    8 arrival
 *  24    8 length             bytes of the run's file
 *  32    4 replacedCount      m, 0..65536
 *  36    4 reserved           zero
 *  40    n application        ASCII
 *  40+n 16 each replaced run  high 8 bytes, low 8 bytes
 *
 *  "D", 16 bytes run id as in "R": damaged blocks of a run, ascending by offset
 *   0    4 count              1..1024
 *   4    4 reserved           zero
 *   8   12 each block         offset in the file (8 bytes), length (4 bytes, at least 1)
 *
 *  "T", 8 bytes deletedAtMs (big-endian), 4 bytes shuffle (big-endian), application (ASCII):
 *  tombstone of a deleted shuffle; the value is empty
 *
 *  "S": the last clean stop
 *   0    8 epoch              the epoch that ended with this stop
 *   8    8 wholeSinceEpoch    the oldest epoch whose acknowledged data is complete
 *  16    4 directories        number of directories with this record, at least 1
 *  20    4 reserved           zero
 * </pre>
 *
 * RocksDB adds checksums to every record of its log and every block of its tables.
 */
final class CatalogFormat {
  static final int VERSION = 1;

  private static final int MAGIC = 'S' | 'L' << 8 | 'C' << 16 | 'T' << 24;
  private static final int FORMAT_LENGTH = 8;

  private static final byte RUN = 'R';
  private static final byte DAMAGE = 'D';
  private static final byte TOMBSTONE = 'T';
  private static final int RUN_ID_LENGTH = 16;
  private static final int RUN_KEY_LENGTH = 1 + RUN_ID_LENGTH;
  private static final int RUN_FIXED_LENGTH = 40;
  private static final int DAMAGE_FIXED_LENGTH = 8;
  private static final int DAMAGED_BLOCK_LENGTH = 12;
  private static final int MAX_DAMAGED_BLOCKS = 1024;
  private static final int TOMBSTONE_KEY_FIXED_LENGTH = 1 + Long.BYTES + Integer.BYTES;
  private static final int STOP_LENGTH = 24;

  private static final int MAX_APPLICATION_LENGTH = 256;
  private static final int MAX_REPLACED = 1 << 16;

  private CatalogFormat() {}

  static byte[] formatKey() {
    return new byte[] {'F'};
  }

  static byte[] stopKey() {
    return new byte[] {'S'};
  }

  /** Prefix of the keys of runs. */
  static byte[] runPrefix() {
    return new byte[] {RUN};
  }

  /** Prefix of the keys of tombstones; the oldest sorts first. */
  static byte[] tombstonePrefix() {
    return new byte[] {TOMBSTONE};
  }

  static byte[] format() {
    return little(FORMAT_LENGTH)
        .putInt(MAGIC)
        .putShort((short) VERSION)
        .putShort((short) 0)
        .array();
  }

  /**
   * Checks the value of {@link #formatKey}.
   *
   * @throws IOException if the version is unknown, or the value is not a catalog format
   */
  static void checkFormat(byte[] value) throws IOException {
    if (value.length != FORMAT_LENGTH || little(value).getInt(0) != MAGIC) {
      throw new IOException("is not a catalog of run files");
    }
    int version = little(value).getShort(4);
    if (version != VERSION) {
      throw new IOException("expected version " + VERSION + ", found " + version);
    }
  }

  static byte[] runKey(RunId run) {
    return key(RUN, run);
  }

  private static byte[] key(byte type, RunId run) {
    byte[] key = new byte[RUN_KEY_LENGTH];
    put(little(key).put(type), run);
    return key;
  }

  /** Prefix of the keys of damaged blocks. */
  static byte[] damagePrefix() {
    return new byte[] {DAMAGE};
  }

  static byte[] damageKey(RunId run) {
    return key(DAMAGE, run);
  }

  /**
   * @param blocks length of each damaged block, by its offset in the file
   */
  static byte[] encode(SortedMap<Long, Integer> blocks) {
    if (blocks.isEmpty() || blocks.size() > MAX_DAMAGED_BLOCKS) {
      throw new IllegalArgumentException(
          blocks.size() + " damaged blocks of a run, expected 1 to " + MAX_DAMAGED_BLOCKS);
    }
    byte[] value = new byte[DAMAGE_FIXED_LENGTH + blocks.size() * DAMAGED_BLOCK_LENGTH];
    ByteBuffer out = little(value).putInt(blocks.size()).putInt(0);
    blocks.forEach((offset, length) -> out.putLong(offset).putInt(length));
    return value;
  }

  static RunId decodeDamagedRun(byte[] key) throws IOException {
    if (key.length != RUN_KEY_LENGTH) {
      throw new IOException("a key of damaged blocks of " + key.length + " bytes");
    }
    return readRunId(little(key).position(1));
  }

  static NavigableMap<Long, Integer> decodeDamage(byte[] value) throws IOException {
    ByteBuffer in = little(value);
    int count = value.length < DAMAGE_FIXED_LENGTH ? 0 : in.getInt();
    if (count < 1
        || count > MAX_DAMAGED_BLOCKS
        || in.getInt() != 0
        || in.remaining() != count * DAMAGED_BLOCK_LENGTH) {
      throw new IOException("record of damaged blocks with invalid values, bytes=" + value.length);
    }
    NavigableMap<Long, Integer> blocks = new TreeMap<>();
    long last = -1;
    for (int i = 0; i < count; i++) {
      long offset = in.getLong();
      int length = in.getInt();
      if (offset <= last || length < 1) {
        throw new IOException(
            "damaged block of " + length + " bytes at offset " + offset + " after " + last);
      }
      blocks.put(offset, length);
      last = offset;
    }
    return blocks;
  }

  static byte[] encode(RunRecord run) {
    byte[] application = run.shuffle().application().getBytes(StandardCharsets.US_ASCII);
    if (application.length < 1
        || application.length > MAX_APPLICATION_LENGTH
        || run.replaces().size() > MAX_REPLACED) {
      throw new IllegalArgumentException("run has no valid record: " + run);
    }
    byte[] value =
        new byte[RUN_FIXED_LENGTH + application.length + run.replaces().size() * RUN_ID_LENGTH];
    ByteBuffer out = little(value);
    out.putInt(run.shuffle().shuffle()).putShort((short) application.length).putShort((short) 0);
    out.putLong(run.order().epoch()).putLong(run.order().arrival()).putLong(run.length());
    out.putInt(run.replaces().size()).putInt(0).put(application);
    run.replaces().forEach(replaced -> put(out, replaced));
    return value;
  }

  static RunRecord decodeRun(byte[] key, byte[] value) throws IOException {
    if (key.length != RUN_KEY_LENGTH) {
      throw new IOException("a run's key of " + key.length + " bytes");
    }
    RunId id = readRunId(little(key).position(1));
    if (value.length < RUN_FIXED_LENGTH) {
      throw new IOException("record of run " + id + " has " + value.length + " bytes");
    }
    ByteBuffer in = little(value);
    int shuffle = in.getInt();
    int nameLength = in.getShort();
    int reserved = in.getShort();
    RunOrder order = new RunOrder(in.getLong(), in.getLong());
    long length = in.getLong();
    int replacedCount = in.getInt();
    reserved |= in.getInt();
    if (shuffle < 0
        || nameLength < 1
        || nameLength > MAX_APPLICATION_LENGTH
        || reserved != 0
        || length < 1
        || replacedCount < 0
        || replacedCount > MAX_REPLACED
        || value.length != RUN_FIXED_LENGTH + nameLength + replacedCount * RUN_ID_LENGTH) {
      throw new IOException("record of run " + id + " has fields with invalid values");
    }
    byte[] name = new byte[nameLength];
    in.get(name);
    List<RunId> replaced = new ArrayList<>(replacedCount);
    for (int i = 0; i < replacedCount; i++) {
      replaced.add(readRunId(in));
    }
    if (replaced.contains(id)) {
      throw new IOException("record of run " + id + " lists itself as replaced");
    }
    return new RunRecord(id, key(name, shuffle), order, length, replaced);
  }

  static byte[] tombstoneKey(Tombstone tombstone) {
    byte[] application = tombstone.shuffle().application().getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(TOMBSTONE_KEY_FIXED_LENGTH + application.length)
        .put(TOMBSTONE)
        .putLong(tombstone.deletedAtMs())
        .putInt(tombstone.shuffle().shuffle())
        .put(application)
        .array();
  }

  static Tombstone decodeTombstone(byte[] key) throws IOException {
    int nameLength = key.length - TOMBSTONE_KEY_FIXED_LENGTH;
    if (nameLength < 1 || nameLength > MAX_APPLICATION_LENGTH) {
      throw new IOException("a tombstone's key of " + key.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(key).position(1);
    long deletedAtMs = in.getLong();
    int shuffle = in.getInt();
    byte[] name = new byte[nameLength];
    in.get(name);
    return new Tombstone(key(name, shuffle), deletedAtMs);
  }

  static byte[] encode(CleanStop stop) {
    return little(STOP_LENGTH)
        .putLong(stop.epoch())
        .putLong(stop.wholeSinceEpoch())
        .putInt(stop.directories())
        .putInt(0)
        .array();
  }

  static CleanStop decodeStop(byte[] value) throws IOException {
    if (value.length != STOP_LENGTH) {
      throw new IOException("record of the clean stop has " + value.length + " bytes");
    }
    ByteBuffer in = little(value);
    try {
      return new CleanStop(in.getLong(), in.getLong(), in.getInt());
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static ShuffleKey key(byte[] application, int shuffle) throws IOException {
    for (byte letter : application) {
      if (letter < 0) {
        throw new IOException("application id is not ASCII");
      }
    }
    return new ShuffleKey(new String(application, StandardCharsets.US_ASCII), shuffle);
  }

  private static void put(ByteBuffer out, RunId run) {
    out.putLong(run.high()).putLong(run.low());
  }

  private static RunId readRunId(ByteBuffer in) {
    return new RunId(in.getLong(), in.getLong());
  }

  private static ByteBuffer little(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
