package io.sluice.server.log;

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

  private final RoaringBitmap complete = new RoaringBitmap();
  private int completeCount;
  private int nextOptimizedCount = FIRST_OPTIMIZED_COUNT;
  // Null while no attempt is in progress, which is the usual state of a small partition.
  private Map<Integer, Open> inProgress;

  /** Takes note of a block. */
  Verdict accept(int attempt, int sequence, boolean last) {
    if (complete.contains(attempt)) {
      return Verdict.DUPLICATE;
    }
    Open open = inProgress == null ? null : inProgress.get(attempt);
    if (open == null) {
      if (sequence == 0 && last) {
        addComplete(attempt);
        return Verdict.COMPLETED;
      }
      open = new Open();
      if (inProgress == null) {
        inProgress = new HashMap<>(4);
      }
      inProgress.put(attempt, open);
    }
    if (open.contradicts(sequence, last)) {
      return Verdict.CONTRADICTION;
    }
    if (!open.add(sequence)) {
      return Verdict.DUPLICATE;
    }
    if (last) {
      open.lastSequence = sequence;
    }
    if (!open.isComplete()) {
      return Verdict.KEPT;
    }
    inProgress.remove(attempt);
    if (inProgress.isEmpty()) {
      inProgress = null;
    }
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
      nextOptimizedCount *= 2;
    }
  }

  /** An attempt of which some block is missing. */
  private static final class Open {
    // Every number below it is here.
    int nextSequence;
    int lastSequence = -1;
    // Numbers above nextSequence that are here; null when there is none.
    RoaringBitmap early;

    boolean contradicts(int sequence, boolean last) {
      if (lastSequence >= 0) {
        return sequence > lastSequence || (last && sequence != lastSequence);
      }
      int highest = early == null ? nextSequence - 1 : early.last();
      return last && sequence < highest;
    }

    boolean add(int sequence) {
      if (sequence < nextSequence || (early != null && early.contains(sequence))) {
        return false;
      }
      if (sequence > nextSequence) {
        if (early == null) {
          early = new RoaringBitmap();
        }
        early.add(sequence);
        return true;
      }
      nextSequence++;
      while (early != null && early.contains(nextSequence)) {
        early.remove(nextSequence);
        nextSequence++;
        if (early.isEmpty()) {
          early = null;
        }
      }
      return true;
    }

    boolean isComplete() {
      return lastSequence >= 0 && nextSequence > lastSequence;
    }
  }
}
