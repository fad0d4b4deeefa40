package io.sluice.client.read;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * Which blocks of one partition have come, from whatever place: for each expected attempt the
 * number below which none is missing, the numbers that came before an earlier one, and the last
 * number once it is known. Belongs to one thread.
 */
final class ReceivedBlocks {
  private static final int UNKNOWN = -1;

  private final int[] next;
  private final int[] last;
  private int openAttempts;
  // Numbers above next, by place of the attempt; only where there are any.
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

  boolean isWhole(int place) {
    return last[place] != UNKNOWN && next[place] > last[place];
  }

  /** Whether nothing of an attempt has come. */
  boolean hasNone(int place) {
    return next[place] == 0 && (early == null || !early.containsKey(place));
  }

  /** The lowest number of an attempt that has not come. */
  int next(int place) {
    return next[place];
  }

  /** Whether a block has come, or lies behind the last one and is of no use. */
  boolean has(int place, int sequence) {
    if (sequence < next[place] || (last[place] != UNKNOWN && sequence > last[place])) {
      return true;
    }
    RoaringBitmap ahead = early == null ? null : early.get(place);
    return ahead != null && ahead.contains(sequence);
  }

  /** Notes a block that has not come before. */
  void add(int place, int sequence, boolean isLast) {
    if (isLast) {
      last[place] = sequence;
    }
    if (sequence > next[place]) {
      if (early == null) {
        early = new HashMap<>();
      }
      early.computeIfAbsent(place, p -> new RoaringBitmap()).add(sequence);
      return;
    }
    next[place]++;
    takeEarly(place);
    if (isWhole(place)) {
      openAttempts--;
    }
  }

  private void takeEarly(int place) {
    RoaringBitmap ahead = early == null ? null : early.get(place);
    if (ahead == null) {
      return;
    }
    int from = next[place];
    int to = (int) Math.min(Integer.MAX_VALUE, ahead.nextAbsentValue(from));
    if (to > from) {
      ahead.remove((long) from, (long) to);
      next[place] = to;
    }
    if (ahead.isEmpty()) {
      early.remove(place);
    }
  }
}
