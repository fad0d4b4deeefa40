package io.sluice.client.read;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * The blocks of one partition that have arrived, from any server or local output. Per expected
 * attempt: the number below which no block is missing ({@code next}), the block numbers above it
 * that arrived early, and the number of the last block once it is known. Owned by one thread.
 */
final class ReceivedBlocks {
  private static final int UNKNOWN = -1;

  private final int[] next;
  private final int[] last;
  private int openAttempts;
  // Numbers above next, by attempt index; attempts without early blocks have no entry.
  private Map<Integer, RoaringBitmap> early;

  ReceivedBlocks(int attempts) {
    this.next = new int[attempts];
    this.last = new int[attempts];
    Arrays.fill(last, UNKNOWN);
    this.openAttempts = attempts;
  }

  /** Whether every attempt is whole. */
  boolean isWhole() {
    return openAttempts == 0;
  }

  boolean isWhole(int attemptIndex) {
    return last[attemptIndex] != UNKNOWN && next[attemptIndex] > last[attemptIndex];
  }

  /** Whether no block of an attempt has arrived. */
  boolean hasNone(int attemptIndex) {
    return next[attemptIndex] == 0 && (early == null || !early.containsKey(attemptIndex));
  }

  /** The lowest block number of an attempt that has not arrived. */
  int next(int attemptIndex) {
    return next[attemptIndex];
  }

  /** Whether a block is a duplicate, or has a number above the last one. */
  boolean has(int attemptIndex, int sequence) {
    if (sequence < next[attemptIndex]
        || (last[attemptIndex] != UNKNOWN && sequence > last[attemptIndex])) {
      return true;
    }
    RoaringBitmap ahead = early == null ? null : early.get(attemptIndex);
    return ahead != null && ahead.contains(sequence);
  }

  /** Records a block that has not arrived before. */
  void add(int attemptIndex, int sequence, boolean isLast) {
    if (isLast) {
      last[attemptIndex] = sequence;
    }
    if (sequence > next[attemptIndex]) {
      if (early == null) {
        early = new HashMap<>();
      }
      early.computeIfAbsent(attemptIndex, i -> new RoaringBitmap()).add(sequence);
      return;
    }
    next[attemptIndex]++;
    advanceOverEarly(attemptIndex);
    if (isWhole(attemptIndex)) {
      openAttempts--;
    }
  }

  private void advanceOverEarly(int attemptIndex) {
    RoaringBitmap ahead = early == null ? null : early.get(attemptIndex);
    if (ahead == null) {
      return;
    }
    int from = next[attemptIndex];
    int to = (int) Math.min(Integer.MAX_VALUE, ahead.nextAbsentValue(from));
    if (to > from) {
      ahead.remove((long) from, (long) to);
      next[attemptIndex] = to;
    }
    if (ahead.isEmpty()) {
      early.remove(attemptIndex);
    }
  }
}
