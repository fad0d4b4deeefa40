package io.sluice.server.log;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * Received blocks of each map attempt in one partition. A complete attempt takes one bit. An
 * attempt in progress stores the first missing block number, and the few block numbers that arrived
 * out of order.
 *
 * <p>Guarded by the lock of its {@link ShuffleLog}. Attempts are identified by their ordinals.
 */
final class AttemptProgress {
  /** Result for one block. */
  enum Verdict {
    /** The block was received before. */
    DUPLICATE,
    /**
     * The block contradicts earlier blocks of its attempt: it follows the LAST block, or is LAST
     * although later blocks exist. It is dropped; if it was needed, the attempt stays incomplete.
     */
    CONTRADICTION,
    /** The block is new. */
    KEPT,
    /** The block is new and completes its attempt. */
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
  // Attempts in progress by ascending ordinal, FIELDS values each: ordinal; number of the first
  // missing block; number of the LAST block, -1 while unknown.
  private int[] open = NONE;
  private int openCount;
  // Blocks of attempts in progress that arrived before a lower block number, by ordinal. Null if
  // none.
  private Map<Integer, RoaringBitmap> early;

  /**
   * Estimated heap beyond {@link LogFootprint#PARTITION_BYTES}: attempts in progress and the set of
   * complete attempts, which is negligible while attempts complete in the order of their ordinals.
   */
  long metadataBytes() {
    return (long) openCount * LogFootprint.OPEN_ATTEMPT_BYTES + setBytes;
  }

  /** Records a block. */
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
   * Ordinals of the complete attempts. The caller must not change the set, nor use it without the
   * lock.
   */
  RoaringBitmap complete() {
    return complete;
  }

  /** Forgets all blocks of an attempt. */
  void forget(int attempt) {
    if (complete.checkedRemove(attempt)) {
      completeCount--;
    }
    int at = search(attempt);
    if (at < 0) {
      return;
    }
    if (early(at) != null) {
      early.remove(attempt);
      early = early.isEmpty() ? null : early;
    }
    remove(at);
  }

  private void addComplete(int attempt) {
    complete.add(attempt);
    completeCount++;
    // Adjacent ordinals become runs; doing this at doubling counts has a small total cost.
    if (completeCount == nextOptimizedCount) {
      complete.runOptimize();
      // The set may double until it is optimized again.
      setBytes = complete.getSizeInBytes() * 2;
      nextOptimizedCount *= 2;
    }
  }

  /** Index of the attempt among those in progress, or {@code -1 - insertion index}. */
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

  /** Received block numbers above the first missing one; null if there are none. */
  private RoaringBitmap early(int at) {
    return early == null ? null : early.get(open[at * FIELDS]);
  }

  /** Records a block number; false if it was received before. */
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
