package io.sluice.client.read;

import java.util.Arrays;

/**
 * The attempts that hold data for one partition, ascending by id, looked up by binary search:
 * twelve bytes each. Immutable.
 */
final class ExpectedAttempts {
  private final int partition;
  private final long[] attempts;
  private final int[] mapIndexes;

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

  long attempt(int place) {
    return attempts[place];
  }

  int mapIndex(int place) {
    return mapIndexes[place];
  }

  /** Place of an attempt, or negative if it is not expected. */
  int placeOf(long attempt) {
    return Arrays.binarySearch(attempts, attempt);
  }

  /** Collects attempts in any order; cheap when they come ascending. */
  static final class Builder {
    private long[] attempts = new long[4];
    private int[] mapIndexes = new int[4];
    private int count;
    private boolean ascending = true;

    void add(long attempt, int mapIndex) {
      if (attempt < 0 || mapIndex < 0) {
        throw new IllegalArgumentException(
            "read: negative map attempt " + attempt + " or map index " + mapIndex);
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
