package io.sluice.client.rows;

import java.util.Arrays;

/** Distinct words of a sequence, in the order in which they appear. Owned by one thread. */
final class WordDictionary {
  private static final int SLOTS = 1024;
  private static final int SLOT_SHIFT = Long.SIZE - 10;
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  /** After this number of words, the dictionary must have stopped to grow at the first pace. */
  private static final int FIRST_CHECK = 96;

  private final short[] slots = new short[SLOTS];
  private final long[] entries = new long[RowPlanes.MAX_DICTIONARY];
  private byte[] codes = new byte[0];
  private int size;

  /** Builds the dictionary; false if there are more than {@code limit} distinct words. */
  boolean build(long[] words, int count, int limit) {
    Arrays.fill(slots, (short) 0);
    if (codes.length < count) {
      codes = new byte[Math.max(count, codes.length * 2)];
    }
    size = 0;
    for (int i = 0; i < count; i++) {
      long word = words[i];
      int slot = (int) ((word * MULTIPLIER) >>> SLOT_SHIFT);
      int entry = slots[slot];
      while (entry != 0 && entries[entry - 1] != word) {
        slot = (slot + 1) & (SLOTS - 1);
        entry = slots[slot];
      }
      if (entry == 0) {
        if (size == limit || (i == FIRST_CHECK && size > FIRST_CHECK * 7 / 8)) {
          return false;
        }
        entries[size++] = word;
        entry = size;
        slots[slot] = (short) entry;
      }
      codes[i] = (byte) (entry - 1);
    }
    return true;
  }

  int size() {
    return size;
  }

  /** The distinct words. */
  long[] entries() {
    return entries;
  }

  /** For every word the number of its entry. */
  byte[] codes() {
    return codes;
  }
}
