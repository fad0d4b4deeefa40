package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/**
 * Decodes blocks of records that {@link RecordPlanesEncoder} encoded. Trusts no number: it never
 * writes outside its target, and the memory for a block is a small multiple of the block's length.
 * Owned by one thread.
 */
public final class RecordPlanesDecoder {
  private final WordDecoder words = new WordDecoder();
  private long[] column = new long[0];
  private int[] starts = new int[0];
  private int[] keyLengths = starts;
  private int[] valueLengths = starts;

  /** Creates a decoder without memory. */
  public RecordPlanesDecoder() {
    // Arrays are allocated for the first block.
  }

  /**
   * Writes the records and the bytes around them.
   *
   * @param encoded borrows: the encoded records in its first {@code encodedLength} bytes
   * @param target borrows: at least {@code length} bytes
   * @param length bytes of the result
   * @throws SluiceException BLOCK_CORRUPT if these are not encoded records of this length
   */
  public void decode(byte[] encoded, int encodedLength, byte[] target, int length)
      throws SluiceException {
    PlaneInput in = new PlaneInput(encoded, encodedLength);
    int flags = in.readByte();
    int leadBytes = in.readByte();
    int records = in.readInt();
    if ((flags & ~(RecordPlanes.FIXED_KEYS | RecordPlanes.FIXED_VALUES)) != 0
        || records < 1
        || (long) records * RecordPlanes.MIN_RECORD_BYTES > length - leadBytes) {
      throw PlaneInput.damaged(
          records + " records in " + length + " bytes, lead=" + leadBytes + " flags=" + flags);
    }
    System.arraycopy(encoded, in.take(leadBytes), target, 0, leadBytes);
    ensure(records);
    readLengths(in, keyLengths, records, length);
    readLengths(in, valueLengths, records, length);
    int end = writeLengths(target, leadBytes, records, length);
    boolean fixedKeys = (flags & RecordPlanes.FIXED_KEYS) != 0;
    boolean fixedValues = (flags & RecordPlanes.FIXED_VALUES) != 0;
    read(in, target, keyLengths, records, fixedKeys);
    for (int i = 0; i < records; i++) {
      starts[i] += keyLengths[i];
    }
    read(in, target, valueLengths, records, fixedValues);
    System.arraycopy(encoded, in.take(length - end), target, end, length - end);
    if (!in.isAtEnd()) {
      throw PlaneInput.damaged("bytes after the last record");
    }
  }

  private void ensure(int records) {
    if (starts.length < records) {
      starts = new int[records];
      keyLengths = new int[records];
      valueLengths = new int[records];
      column = new long[WordDecoder.capacity(records)];
    }
  }

  private void readLengths(PlaneInput in, int[] lengths, int records, int length)
      throws SluiceException {
    words.read(in, column, records);
    for (int i = 0; i < records; i++) {
      long one = column[i];
      if (one < 0 || one > length) {
        throw PlaneInput.damaged("key or value of " + one + " bytes in " + length);
      }
      lengths[i] = (int) one;
    }
  }

  /** Writes the lengths before each record, and notes where keys begin; returns the end. */
  private int writeLengths(byte[] target, int from, int records, int length)
      throws SluiceException {
    int at = from;
    for (int i = 0; i < records; i++) {
      int keyLength = keyLengths[i];
      int valueLength = valueLengths[i];
      int numbers = RecordPlanes.numberBytes(keyLength) + RecordPlanes.numberBytes(valueLength);
      if ((long) numbers + keyLength + valueLength > length - at) {
        throw PlaneInput.damaged("records of more than " + length + " bytes");
      }
      at =
          RecordPlanes.writeNumber(
              valueLength, target, RecordPlanes.writeNumber(keyLength, target, at));
      starts[i] = at;
      at += keyLength + valueLength;
    }
    return at;
  }

  /** Reads keys or values, which begin at {@link #starts}. */
  private void read(PlaneInput in, byte[] target, int[] lengths, int records, boolean isFixed)
      throws SluiceException {
    if (!isFixed) {
      for (int i = 0; i < records; i++) {
        System.arraycopy(in.bytes(), in.take(lengths[i]), target, starts[i], lengths[i]);
      }
      return;
    }
    int length = lengths[0];
    for (int i = 0; i < records; i++) {
      if (lengths[i] != length || length > RecordPlanes.MAX_FIXED_BYTES) {
        throw PlaneInput.damaged("length " + lengths[i] + " where all are " + length);
      }
    }
    ByteBuffer out = ByteBuffer.wrap(target);
    int at = 0;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      words.read(in, column, records);
      for (int i = 0; i < records; i++) {
        out.putLong(starts[i] + at, column[i]);
      }
    }
    if (at < length) {
      words.read(in, column, records);
      for (int i = 0; i < records; i++) {
        long word = column[i];
        for (int k = length - 1; k >= at; k--) {
          target[starts[i] + k] = (byte) word;
          word >>>= Byte.SIZE;
        }
      }
    }
  }
}
