package io.sluice.client.rows;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Distinct values of a variable-length column, in order of appearance. Owned by one thread. */
final class ValueDictionary {
  private static final int SLOTS = 1024;
  private static final int SLOT_SHIFT = Long.SIZE - 10;
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  /** After this number of values, the dictionary must have stopped to grow at the first pace. */
  private static final int FIRST_CHECK = 96;

  private final short[] slots = new short[SLOTS];
  private final long[] hashes = new long[RowPlanes.MAX_DICTIONARY];
  private final int[] positions = new int[RowPlanes.MAX_DICTIONARY];
  private final int[] sizes = new int[RowPlanes.MAX_DICTIONARY];
  private byte[] codes = new byte[0];
  private int size;

  /**
   * Builds the dictionary; false if it would not be much shorter than the values.
   *
   * @param source borrows: little-endian; after each value there are zeros up to a whole word
   */
  boolean build(ByteBuffer source, int[] from, int[] lengths, int count) {
    Arrays.fill(slots, (short) 0);
    if (codes.length < count) {
      codes = new byte[Math.max(count, codes.length * 2)];
    }
    int limit = Math.min(RowPlanes.MAX_DICTIONARY, count / 2);
    size = 0;
    for (int i = 0; i < count; i++) {
      long hash = hash(source, from[i], lengths[i]);
      int slot = (int) (hash >>> SLOT_SHIFT);
      int entry = slots[slot];
      while (entry != 0 && !isEntry(entry - 1, hash, source, from[i], lengths[i])) {
        slot = (slot + 1) & (SLOTS - 1);
        entry = slots[slot];
      }
      if (entry == 0) {
        if (size == limit || (i == FIRST_CHECK && size > FIRST_CHECK * 7 / 8)) {
          return false;
        }
        hashes[size] = hash;
        positions[size] = from[i];
        sizes[size++] = lengths[i];
        entry = size;
        slots[slot] = (short) entry;
      }
      codes[i] = (byte) (entry - 1);
    }
    return true;
  }

  private boolean isEntry(int entry, long hash, ByteBuffer source, int from, int length) {
    // Words of values of one length have different hashes: each step of the hash can be reversed.
    return hashes[entry] == hash
        && sizes[entry] == length
        && (length <= Long.BYTES || isSame(source, positions[entry], from, length));
  }

  private static long hash(ByteBuffer source, int from, int length) {
    long hash = length;
    for (int i = 0; i < length; i += Long.BYTES) {
      hash = (hash ^ source.getLong(from + i)) * MULTIPLIER;
      hash ^= hash >>> Integer.SIZE;
    }
    return hash * MULTIPLIER;
  }

  /** Compares values whole words at a time: their padding is zero. */
  static boolean isSame(ByteBuffer source, int one, int other, int length) {
    for (int i = 0; i < length; i += Long.BYTES) {
      if (source.getLong(one + i) != source.getLong(other + i)) {
        return false;
      }
    }
    return true;
  }

  int size() {
    return size;
  }

  int[] positions() {
    return positions;
  }

  int[] sizes() {
    return sizes;
  }

  /** For every value the number of its entry. */
  byte[] codes() {
    return codes;
  }
}
