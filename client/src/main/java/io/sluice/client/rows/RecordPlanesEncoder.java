package io.sluice.client.rows;

import io.sluice.common.block.BlockEncoding;
import java.nio.ByteBuffer;

/**
 * Encodes blocks of MapReduce records, each a key and a value after their lengths. Bytes before and
 * after the records are stored as they are. Owned by one thread.
 */
public final class RecordPlanesEncoder implements BlockEncoder {
  private final int leadBytes;
  private final PlaneOutput out = new PlaneOutput();
  private final WordEncoder words;
  private int[] starts = new int[0];
  private int[] keyLengths = starts;
  private int[] valueLengths = starts;
  private long[] column = new long[0];
  private int records;
  private int recordsEnd;

  /**
   * @param leadBytes bytes before the first record, at most 255
   * @param packBits whether to write single bits; not if the codec has an entropy coder
   */
  public RecordPlanesEncoder(int leadBytes, boolean packBits) {
    if (leadBytes < 0 || leadBytes > 0xFF) {
      throw new IllegalArgumentException(leadBytes + " bytes before records: expected 0 to 255");
    }
    this.leadBytes = leadBytes;
    this.words = new WordEncoder(out, packBits);
  }

  @Override
  public BlockEncoding encoding() {
    return BlockEncoding.RECORD_PLANES;
  }

  @Override
  public int encode(byte[] bytes, int offset, int length, int count) {
    int end = offset + length;
    if (length < leadBytes || !findRecords(bytes, offset + leadBytes, end, count)) {
      return -1;
    }
    boolean fixedKeys = isFixed(keyLengths);
    boolean fixedValues = isFixed(valueLengths);
    if (!fixedKeys && !fixedValues) {
      return -1;
    }
    out.clear();
    out.put(
        (fixedKeys ? RecordPlanes.FIXED_KEYS : 0) | (fixedValues ? RecordPlanes.FIXED_VALUES : 0));
    out.put(leadBytes);
    out.putInt(records);
    out.put(bytes, offset, leadBytes);
    writeLengths(keyLengths);
    writeLengths(valueLengths);
    write(bytes, keyLengths, fixedKeys);
    for (int i = 0; i < records; i++) {
      starts[i] += keyLengths[i];
    }
    write(bytes, valueLengths, fixedValues);
    out.put(bytes, recordsEnd, end - recordsEnd);
    return out.at() < length ? out.at() : -1;
  }

  @Override
  public byte[] encoded() {
    return out.bytes();
  }

  private boolean findRecords(byte[] bytes, int start, int end, int count) {
    if (count < 1 || count > (end - start) / RecordPlanes.MIN_RECORD_BYTES) {
      return false;
    }
    if (starts.length < count) {
      int room = Math.max(count, starts.length * 2);
      starts = new int[room];
      keyLengths = new int[room];
      valueLengths = new int[room];
      column = new long[room];
    }
    int at = start;
    for (int i = 0; i < count; i++) {
      int keyLength = RecordPlanes.readNumber(bytes, at, end);
      if (keyLength < 0) {
        return false;
      }
      at += RecordPlanes.numberBytes(keyLength);
      int valueLength = RecordPlanes.readNumber(bytes, at, end);
      if (valueLength < 0) {
        return false;
      }
      at += RecordPlanes.numberBytes(valueLength);
      if ((long) keyLength + valueLength > end - at) {
        return false;
      }
      starts[i] = at;
      keyLengths[i] = keyLength;
      valueLengths[i] = valueLength;
      at += keyLength + valueLength;
    }
    records = count;
    recordsEnd = at;
    return true;
  }

  /** Whether all lengths are equal, and there is something to store. */
  private boolean isFixed(int[] lengths) {
    int first = lengths[0];
    for (int i = 1; i < records; i++) {
      if (lengths[i] != first) {
        return false;
      }
    }
    return first > 0 && first <= RecordPlanes.MAX_FIXED_BYTES;
  }

  private void writeLengths(int[] lengths) {
    for (int i = 0; i < records; i++) {
      column[i] = lengths[i];
    }
    words.write(column, records);
  }

  /** Writes keys or values, which begin at {@link #starts}. */
  private void write(byte[] bytes, int[] lengths, boolean isFixed) {
    if (!isFixed) {
      for (int i = 0; i < records; i++) {
        out.put(bytes, starts[i], lengths[i]);
      }
      return;
    }
    ByteBuffer source = ByteBuffer.wrap(bytes);
    int length = lengths[0];
    int at = 0;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      for (int i = 0; i < records; i++) {
        column[i] = source.getLong(starts[i] + at);
      }
      words.write(column, records);
    }
    if (at < length) {
      for (int i = 0; i < records; i++) {
        long word = 0;
        for (int k = at; k < length; k++) {
          word = (word << Byte.SIZE) | (bytes[starts[i] + k] & 0xFF);
        }
        column[i] = word;
      }
      words.write(column, records);
    }
  }
}
