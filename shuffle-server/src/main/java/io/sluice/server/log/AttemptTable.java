package io.sluice.server.log;

import java.util.Arrays;

/**
 * Assigns ordinals 0, 1, 2 … to the map attempts of one shuffle, in the order of their first block.
 * Sets of attempts are then dense 32-bit bitmaps: attempts that run concurrently get adjacent
 * ordinals and compress to a few runs. Guarded by the lock of its {@link ShuffleLog}.
 */
final class AttemptTable {
  private static final int EMPTY = -1;

  // Attempt by ordinal; replaced when it grows, so that a snapshot of the array stays valid.
  private long[] attempts = new long[16];
  private int count;
  // Open addressing: ordinals, a power of two of slots, at most half full.
  private int[] slots = newSlots(32);

  int count() {
    return count;
  }

  /** The ordinal of an attempt, or -1. */
  int find(long attempt) {
    return slots[slotOf(attempt)];
  }

  /** Adds an attempt that {@link #find} does not find, and returns its ordinal. */
  int add(long attempt) {
    if (count == attempts.length) {
      attempts = Arrays.copyOf(attempts, count * 2);
    }
    attempts[count] = attempt;
    slots[slotOf(attempt)] = count;
    count++;
    if (count * 2 > slots.length) {
      slots = newSlots(slots.length * 2);
      for (int ordinal = 0; ordinal < count; ordinal++) {
        slots[slotOf(attempts[ordinal])] = ordinal;
      }
    }
    return count - 1;
  }

  /** Attempts by ordinal. Existing entries never change. */
  long[] byOrdinal() {
    return attempts;
  }

  private int slotOf(long attempt) {
    long hash = attempt * 0x9E3779B97F4A7C15L;
    int mask = slots.length - 1;
    int slot = (int) (hash >>> 32) & mask;
    while (slots[slot] != EMPTY && attempts[slots[slot]] != attempt) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int[] newSlots(int size) {
    int[] slots = new int[size];
    Arrays.fill(slots, EMPTY);
    return slots;
  }
}
