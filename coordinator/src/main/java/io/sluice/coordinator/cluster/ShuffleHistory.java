package io.sluice.coordinator.cluster;

import java.util.Arrays;

/**
 * Partition counts of an application's latest shuffles by shuffle number, eight bytes each.
 * Immutable.
 *
 * <p>The partition count is used only to check that a shuffle is registered again with an equal
 * count. The history is bounded by removing the lowest shuffle numbers (engines count upwards),
 * because a streaming job may register shuffles for years.
 */
public final class ShuffleHistory {
  private static final ShuffleHistory EMPTY = new ShuffleHistory(new int[0], new int[0]);

  /** Ascending; never changed after construction. */
  private final int[] shuffles;

  private final int[] partitionCounts;

  private ShuffleHistory(int[] shuffles, int[] partitionCounts) {
    this.shuffles = shuffles;
    this.partitionCounts = partitionCounts;
  }

  public static ShuffleHistory empty() {
    return EMPTY;
  }

  public int size() {
    return shuffles.length;
  }

  /** Returns the partition count of a shuffle, or 0 if it is not in the history. */
  public int partitionCount(int shuffle) {
    int index = Arrays.binarySearch(shuffles, shuffle);
    return index < 0 ? 0 : partitionCounts[index];
  }

  /** Returns this history with one more shuffle, limited to the {@code max} highest numbers. */
  public ShuffleHistory with(int shuffle, int partitionCount, int max) {
    int found = Arrays.binarySearch(shuffles, shuffle);
    if (found >= 0) {
      if (partitionCounts[found] == partitionCount) {
        return this;
      }
      int[] counts = partitionCounts.clone();
      counts[found] = partitionCount;
      return new ShuffleHistory(shuffles, counts);
    }
    int at = -found - 1;
    return new ShuffleHistory(
        inserted(shuffles, at, shuffle, max), inserted(partitionCounts, at, partitionCount, max));
  }

  private static int[] inserted(int[] from, int at, int value, int max) {
    int[] all = new int[from.length + 1];
    System.arraycopy(from, 0, all, 0, at);
    all[at] = value;
    System.arraycopy(from, at, all, at + 1, from.length - at);
    return all.length <= max ? all : Arrays.copyOfRange(all, all.length - max, all.length);
  }
}
