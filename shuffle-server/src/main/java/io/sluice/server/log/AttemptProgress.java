package io.sluice.server.log;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * Which blocks of which attempts one partition has. A complete attempt is one bit; one in progress
 * remembers how far it got without a gap, and the few numbers that came early.
 *
 * <p>Guarded by the lock of its {@link ShuffleLog}. Attempts are named by their ordinals.
 */
final class AttemptProgress {
  /** What becomes of a block. */
  enum Verdict {
    /** It was here already. */
    DUPLICATE,
    /**
     * It contradicts what its attempt said before: it lies beyond the LAST block, or is LAST with
     * others beyond it. Not taken; if it was needed, the attempt stays incomplete.
     */
    CONTRADICTION,
    /** It is new. */
    KEPT,
    /** It is new and completes its attempt. */
    COMPLETED
  }

  private static final int FIRST_OPTIMIZED_COUNT = 64;

  private static final int FIELDS = 3;
  private static final int NEXT = 1;
  private static final int LAST = 2;
  private static final int[] NONE = {};

  private final RoaringBitmap complete = new RoaringBitmap();
  private int completeCount;
  private int nextOptimizedCount = FIRST_OPTIMIZED_COUNT;
  private int setBytes;
  // Attempts in progress by ascending ordinal, FIELDS values each: ordinal; the number of the first
  // block that is missing; that of the LAST block, -1 while it is not known.
  private int[] open = NONE;
  private int openCount;
  // Blocks of them that came before one with a lower number. Null while there is none.
  private Map<Integer, RoaringBitmap> early;

  /**
   * What it takes of the heap beyond {@link LogFootprint#PARTITION_BYTES}, about: attempts in
   * progress, and the set of complete ones, which is nothing while they end in their order.
   */
  long metadataBytes() {
    return (long) openCount * LogFootprint.OPEN_ATTEMPT_BYTES + setBytes;
  }

  /** Takes note of a block. */
  Verdict accept(int attempt, int sequence, boolean last) {
    if (complete.contains(attempt)) {
      return Verdict.DUPLICATE;
    }
    int at = search(attempt);
    if (at < 0) {
      if (sequence == 0 && last) {
        addComplete(attempt);
        return Verdict.COMPLETED;
      }
      at = -1 - at;
      insert(at, attempt);
    }
    if (contradicts(at, sequence, last)) {
      return Verdict.CONTRADICTION;
    }
    if (!add(at, sequence)) {
      return Verdict.DUPLICATE;
    }
    if (last) {
      open[at * FIELDS + LAST] = sequence;
    }
    int lastSequence = open[at * FIELDS + LAST];
    if (lastSequence < 0 || open[at * FIELDS + NEXT] <= lastSequence) {
      return Verdict.KEPT;
    }
    remove(at);
    addComplete(attempt);
    return Verdict.COMPLETED;
  }

  /**
   * Ordinals of the complete attempts. The caller must not change it, nor keep it past the lock.
   */
  RoaringBitmap complete() {
    return complete;
  }

  private void addComplete(int attempt) {
    complete.add(attempt);
    completeCount++;
    // Neighbouring ordinals become runs; doing it at doubling counts costs little over all.
    if (completeCount == nextOptimizedCount) {
      complete.runOptimize();
      // It may grow as much again until the next time.
      setBytes = complete.getSizeInBytes() * 2;
      nextOptimizedCount *= 2;
    }
  }

  /** Number of the attempt among those in progress, or where it belongs: -1 - that. */
  private int search(int attempt) {
    int low = 0;
    int high = openCount - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int found = open[middle * FIELDS];
      if (found == attempt) {
        return middle;
      }
      if (found < attempt) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1 - low;
  }

  private void insert(int at, int attempt) {
    if (openCount * FIELDS == open.length) {
      open = Arrays.copyOf(open, (openCount + Math.max(1, openCount / 2)) * FIELDS);
    }
    System.arraycopy(open, at * FIELDS, open, (at + 1) * FIELDS, (openCount - at) * FIELDS);
    open[at * FIELDS] = attempt;
    open[at * FIELDS + NEXT] = 0;
    open[at * FIELDS + LAST] = -1;
    openCount++;
  }

  private void remove(int at) {
    openCount--;
    System.arraycopy(open, (at + 1) * FIELDS, open, at * FIELDS, (openCount - at) * FIELDS);
    if (openCount * FIELDS * 2 <= open.length) {
      open = openCount == 0 ? NONE : Arrays.copyOf(open, openCount * FIELDS);
    }
  }

  private boolean contradicts(int at, int sequence, boolean last) {
    int known = open[at * FIELDS + LAST];
    if (known >= 0) {
      return sequence > known || (last && sequence != known);
    }
    RoaringBitmap beyond = early(at);
    int highest = beyond == null ? open[at * FIELDS + NEXT] - 1 : beyond.last();
    return last && sequence < highest;
  }

  /** Numbers above the next one that are here; null when there is none. */
  private RoaringBitmap early(int at) {
    return early == null ? null : early.get(open[at * FIELDS]);
  }

  /** Takes note of a number; false if it was here. */
  private boolean add(int at, int sequence) {
    int next = open[at * FIELDS + NEXT];
    RoaringBitmap beyond = early(at);
    if (sequence < next || (beyond != null && beyond.contains(sequence))) {
      return false;
    }
    if (sequence > next) {
      addEarly(open[at * FIELDS], sequence);
      return true;
    }
    next++;
    while (beyond != null && beyond.contains(next)) {
      beyond.remove(next);
      next++;
    }
    if (beyond != null && beyond.isEmpty()) {
      early.remove(open[at * FIELDS]);
      early = early.isEmpty() ? null : early;
    }
    open[at * FIELDS + NEXT] = next;
    return true;
  }

  private void addEarly(int attempt, int sequence) {
    if (early == null) {
      early = new HashMap<>(4);
    }
    early.computeIfAbsent(attempt, unused -> new RoaringBitmap()).add(sequence);
  }
}
