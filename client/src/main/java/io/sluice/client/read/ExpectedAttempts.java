package io.sluice.client.read;

import java.util.Arrays;

/**
 * The map attempts that wrote data for one partition, ascending by id. The position in this list is
 * the attempt index that all classes of a read use. An attempt takes twelve bytes; lookup is a
 * binary search. Used by one thread.
 */
final class ExpectedAttempts {
  private final int partition;
  private final long[] attempts;
  private final int[] mapIndexes;
  // Position of each attempt by map index; null until requested, or if it is the attempt index.
  private int[] ranks;
  private boolean ranked;

  private ExpectedAttempts(int partition, long[] attempts, int[] mapIndexes) {
    this.partition = partition;
    this.attempts = attempts;
    this.mapIndexes = mapIndexes;
  }

  int partition() {
    return partition;
  }

  int count() {
    return attempts.length;
  }

  long attempt(int attemptIndex) {
    return attempts[attemptIndex];
  }

  int mapIndex(int attemptIndex) {
    return mapIndexes[attemptIndex];
  }

  /** Index of an attempt; negative if it is not expected. */
  int indexOf(long attempt) {
    return Arrays.binarySearch(attempts, attempt);
  }

  /** Position of an attempt among all of them, ordered by map index and then by id. */
  int rank(int attemptIndex) {
    if (!ranked) {
      ranks = ranks();
      ranked = true;
    }
    return ranks == null ? attemptIndex : ranks[attemptIndex];
  }

  private int[] ranks() {
    boolean ascending = true;
    long[] keys = new long[mapIndexes.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = (long) mapIndexes[i] << 32 | i;
      ascending &= i == 0 || keys[i - 1] < keys[i];
    }
    if (ascending) {
      return null;
    }
    Arrays.sort(keys);
    int[] sorted = new int[keys.length];
    for (int rank = 0; rank < keys.length; rank++) {
      sorted[(int) keys[rank]] = rank;
    }
    return sorted;
  }

  /** Collects attempts in any order; cheapest if they are added in ascending order. */
  static final class Builder {
    private long[] attempts = new long[4];
    private int[] mapIndexes = new int[4];
    private int count;
    private boolean ascending = true;

    void add(long attempt, int mapIndex) {
      if (attempt < 0 || mapIndex < 0) {
        throw new IllegalArgumentException(
            "invalid read request: expected numbers of at least 0, found attempt="
                + attempt
                + " mapIndex="
                + mapIndex);
      }
      if (count > 0 && attempts[count - 1] == attempt) {
        return;
      }
      ascending &= count == 0 || attempts[count - 1] < attempt;
      if (count == attempts.length) {
        attempts = Arrays.copyOf(attempts, count * 2);
        mapIndexes = Arrays.copyOf(mapIndexes, count * 2);
      }
      attempts[count] = attempt;
      mapIndexes[count++] = mapIndex;
    }

    ExpectedAttempts build(int partition) {
      long[] sorted = Arrays.copyOf(attempts, count);
      int[] indexes = Arrays.copyOf(mapIndexes, count);
      if (ascending) {
        return new ExpectedAttempts(partition, sorted, indexes);
      }
      Integer[] order = new Integer[count];
      Arrays.setAll(order, i -> i);
      Arrays.sort(order, (a, b) -> Long.compare(attempts[a], attempts[b]));
      int kept = 0;
      for (int from : order) {
        if (kept == 0 || sorted[kept - 1] != attempts[from]) {
          sorted[kept] = attempts[from];
          indexes[kept++] = mapIndexes[from];
        }
      }
      return new ExpectedAttempts(
          partition, Arrays.copyOf(sorted, kept), Arrays.copyOf(indexes, kept));
    }
  }
}
