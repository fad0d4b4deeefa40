package io.sluice.client.rows;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads encoded bytes from front to back and never beyond their end. Owned by one thread. */
final class PlaneInput {
  private final byte[] bytes;
  private final ByteBuffer words;
  private final int end;
  private int at;

  /**
   * @param bytes borrows: encoded rows in the first {@code length} bytes
   */
  PlaneInput(byte[] bytes, int length) {
    this.bytes = bytes;
    this.words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    this.end = length;
  }

  static SluiceException damaged(String problem) {
    return new SluiceException(StatusCode.BLOCK_CORRUPT, "planes of a block damaged: " + problem);
  }

  byte[] bytes() {
    return bytes;
  }

  /** The bytes, little-endian. */
  ByteBuffer words() {
    return words;
  }

  boolean isAtEnd() {
    return at == end;
  }

  /** Skips some bytes and returns the index of the first. */
  int take(int count) throws SluiceException {
    if (count < 0 || count > end - at) {
      throw damaged("expected " + count + " bytes at " + at + ", found " + (end - at));
    }
    int from = at;
    at += count;
    return from;
  }

  int readByte() throws SluiceException {
    return bytes[take(1)] & 0xFF;
  }

  int readShort() throws SluiceException {
    return words.getShort(take(Short.BYTES)) & 0xFFFF;
  }

  int readInt() throws SluiceException {
    return words.getInt(take(Integer.BYTES));
  }

  /** Reads a word of {@code count} bytes, at most eight. */
  long readLow(int count) throws SluiceException {
    int from = take(count);
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (bytes[from + i] & 0xFF);
    }
    return value;
  }

  /** Reads {@code count} bytes into words, eight each; the last one is filled with zeros. */
  void readBytes(long[] target, int count) throws SluiceException {
    int from = take(count);
    int whole = count / Long.BYTES;
    for (int g = 0; g < whole; g++) {
      target[g] = words.getLong(from + g * Long.BYTES);
    }
    if (whole * Long.BYTES < count) {
      long rest = 0;
      for (int i = count - 1; i >= whole * Long.BYTES; i--) {
        rest = (rest << Byte.SIZE) | (bytes[from + i] & 0xFF);
      }
      target[whole] = rest;
    }
  }

  /** Adds {@code count} bytes to words, one to each. */
  void addColumn(long[] target, int count, int shift) throws SluiceException {
    int from = take(count);
    for (int i = 0; i < count; i++) {
      target[i] |= (bytes[from + i] & 0xFFL) << shift;
    }
  }
}
