package io.sluice.server.log;

import java.util.Arrays;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Wait of an Open until a share of the wanted attempts is complete in each wanted partition. Ends
 * once: when the condition is met, when the shuffle is removed, or when it is cancelled. Guarded by
 * the lock of its {@link ShuffleLog}, which calls {@code onEnd} outside it.
 */
public final class OpenWait {
  final int[] partitions;
  private final Roaring64NavigableMap wantedAttempts;
  private final Runnable onEnd;
  // Wanted attempts that already have an ordinal.
  private final RoaringBitmap wantedOrdinals = new RoaringBitmap();
  private final int needed;
  private final int[] completeCounts;
  private int unsatisfied;
  private boolean ended;

  /**
   * @param partitions ascending, without repetition
   * @param wantedAttempts not empty; owned by the wait
   * @param permille required share of complete attempts, 1..1000
   * @param onEnd runs once, on the thread that ended the wait; must only schedule a task
   */
  public OpenWait(
      int[] partitions, Roaring64NavigableMap wantedAttempts, int permille, Runnable onEnd) {
    this.partitions = partitions.clone();
    this.wantedAttempts = wantedAttempts;
    this.onEnd = onEnd;
    long wanted = Math.min(wantedAttempts.getLongCardinality(), Integer.MAX_VALUE);
    this.needed = (int) ((wanted * permille + 999) / 1000);
    this.completeCounts = new int[partitions.length];
    this.unsatisfied = partitions.length;
  }

  void sawAttempt(long attempt, int ordinal) {
    if (wantedAttempts.contains(attempt)) {
      wantedOrdinals.add(ordinal);
    }
  }

  /** Sets the initial count of complete attempts of a partition. */
  void begin(int position, RoaringBitmap complete) {
    completeCounts[position] = RoaringBitmap.andCardinality(wantedOrdinals, complete);
    if (completeCounts[position] >= needed) {
      unsatisfied--;
    }
  }

  void completed(int partition, int ordinal) {
    if (!wantedOrdinals.contains(ordinal)) {
      return;
    }
    int position = Arrays.binarySearch(partitions, partition);
    if (++completeCounts[position] == needed) {
      unsatisfied--;
    }
  }

  boolean isSatisfied() {
    return unsatisfied == 0;
  }

  /** Returns true on the first call only. */
  boolean end() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  void run() {
    onEnd.run();
  }
}
