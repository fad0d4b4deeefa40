package io.sluice.client.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collects the expected attempts of many partitions. Engines read adjacent partitions and may add a
 * million pairs of partition and attempt. Therefore this is an array from the lowest to the highest
 * partition, and adding a pair allocates no object. Owned by one thread.
 */
final class ExpectedByPartition {
  private ExpectedAttempts.Builder[] builders = new ExpectedAttempts.Builder[0];
  private int first;

  void add(int partition, long mapAttempt, int mapIndex) {
    cover(partition);
    ExpectedAttempts.Builder builder = builders[partition - first];
    if (builder == null) {
      builder = new ExpectedAttempts.Builder();
      builders[partition - first] = builder;
    }
    builder.add(mapAttempt, mapIndex);
  }

  private void cover(int partition) {
    if (builders.length == 0) {
      first = partition;
      builders = new ExpectedAttempts.Builder[1];
    } else if (partition < first) {
      int more = first - partition;
      ExpectedAttempts.Builder[] larger = new ExpectedAttempts.Builder[builders.length + more];
      System.arraycopy(builders, 0, larger, more, builders.length);
      builders = larger;
      first = partition;
    } else if (partition - first >= builders.length) {
      int needed = partition - first + 1;
      builders = Arrays.copyOf(builders, Math.max(needed, builders.length * 2));
    }
  }

  /** Partitions with at least one expected attempt, ascending. */
  List<ExpectedAttempts> build() {
    List<ExpectedAttempts> expected = new ArrayList<>();
    for (int i = 0; i < builders.length; i++) {
      if (builders[i] != null) {
        expected.add(builders[i].build(first + i));
      }
    }
    return expected;
  }
}
