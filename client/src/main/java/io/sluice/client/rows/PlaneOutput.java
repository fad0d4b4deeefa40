package io.sluice.client.rows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing byte array that is filled from front to back. Owned by one thread. */
final class PlaneOutput {
  private byte[] bytes = new byte[1 << 10];
  private ByteBuffer words = view(bytes);
  private int at;

  private static ByteBuffer view(byte[] array) {
    return ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
  }

  void clear() {
    at = 0;
  }

  /** Number of bytes so far. */
  int at() {
    return at;
  }

  /** The bytes; valid until the next call. */
  byte[] bytes() {
    return bytes;
  }

  private void ensure(int more) {
    if (bytes.length - at < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + more));
      words = view(bytes);
    }
  }

  void put(int value) {
    ensure(1);
    bytes[at++] = (byte) value;
  }

  /** Replaces a byte. */
  void set(int index, int value) {
    bytes[index] = (byte) value;
  }

  void putShort(int value) {
    ensure(Short.BYTES);
    words.putShort(at, (short) value);
    at += Short.BYTES;
  }

  void putInt(int value) {
    ensure(Integer.BYTES);
    words.putInt(at, value);
    at += Integer.BYTES;
  }

  /** Adds the lowest {@code count} bytes of a word. */
  void putLow(long value, int count) {
    ensure(Long.BYTES);
    words.putLong(at, value);
    at += count;
  }

  void put(byte[] source, int offset, int length) {
    ensure(length);
    System.arraycopy(source, offset, bytes, at, length);
    at += length;
  }

  /** Adds bytes that are followed by more up to a whole word. */
  void putPadded(ByteBuffer source, int from, int length) {
    ensure(length + Long.BYTES);
    for (int i = 0; i < length; i += Long.BYTES) {
      words.putLong(at + i, source.getLong(from + i));
    }
    at += length;
  }

  /** Adds the first {@code count} bytes of some words. */
  void putBytes(long[] source, int from, int count) {
    int groups = (count + Long.BYTES - 1) / Long.BYTES;
    ensure(groups * Long.BYTES);
    for (int g = 0; g < groups; g++) {
      words.putLong(at + g * Long.BYTES, source[from + g]);
    }
    at += count;
  }

  /** Adds one byte of each of some words. */
  void putColumn(long[] source, int from, int count, int shift) {
    ensure(count);
    for (int i = 0; i < count; i++) {
      bytes[at + i] = (byte) (source[from + i] >>> shift);
    }
    at += count;
  }
}
