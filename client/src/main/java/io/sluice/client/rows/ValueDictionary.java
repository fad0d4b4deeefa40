package io.sluice.client.rows;

import java.util.Arrays;

/** Distinct values of a variable-length column, in order of appearance. Owned by one thread. */
final class ValueDictionary {
  private static final int SLOTS = 1024;
  private static final int SLOT_SHIFT = Integer.SIZE - 10;
  private static final int MULTIPLIER = 0x9E37_79B1;

  /** After this number of values, the dictionary must have stopped to grow at the first pace. */
  private static final int FIRST_CHECK = 96;

  private final short[] slots = new short[SLOTS];
  private final int[] hashes = new int[RowPlanes.MAX_DICTIONARY];
  private final int[] positions = new int[RowPlanes.MAX_DICTIONARY];
  private final int[] sizes = new int[RowPlanes.MAX_DICTIONARY];
  private byte[] codes = new byte[0];
  private int size;

  /** Builds the dictionary; false if it would not be much shorter than the values. */
  boolean build(byte[] bytes, int[] from, int[] lengths, int count) {
    Arrays.fill(slots, (short) 0);
    if (codes.length < count) {
      codes = new byte[Math.max(count, codes.length * 2)];
    }
    int limit = Math.min(RowPlanes.MAX_DICTIONARY, count / 2);
    size = 0;
    for (int i = 0; i < count; i++) {
      int hash = hash(bytes, from[i], lengths[i]);
      int slot = hash * MULTIPLIER >>> SLOT_SHIFT;
      int entry = slots[slot];
      while (entry != 0 && !isEntry(entry - 1, hash, bytes, from[i], lengths[i])) {
        slot = slot + 1 & SLOTS - 1;
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

  private boolean isEntry(int entry, int hash, byte[] bytes, int from, int length) {
    return hashes[entry] == hash
        && sizes[entry] == length
        && isSame(bytes, positions[entry], from, length);
  }

  private static int hash(byte[] bytes, int from, int length) {
    int hash = length;
    for (int i = from; i < from + length; i++) {
      hash = hash * 31 + bytes[i];
    }
    return hash;
  }

  static boolean isSame(byte[] bytes, int one, int other, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[one + i] != bytes[other + i]) {
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
