package io.sluice.client.local;

import java.util.Arrays;

/**
 * Index of a temporary file: a list of ranges, each with adjacent blocks of one partition. A range
 * takes 12 bytes. The file is written sequentially. Owned by one thread.
 */
final class BlockRuns {
  private final int partitionCount;
  private int[] partitions = new int[64];
  private long[] ends = new long[64];
  private int count;
  private boolean ascending = true;

  /**
   * Receives the ranges by ascending partition; ranges of one partition in the order of writing.
   */
  interface Visitor<E extends Exception> {
    void visit(int partition, long offset, long length) throws E;
  }

  BlockRuns(int partitionCount) {
    this.partitionCount = partitionCount;
  }

  /** Number of bytes so far, which is the offset of the next range. */
  long bytes() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /** Adds {@code length} bytes with blocks of a partition. */
  void add(int partition, long length) {
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition out of range: partition=" + partition + " partitions=" + partitionCount);
    }
    if (count > 0 && partitions[count - 1] == partition) {
      ends[count - 1] += length;
      return;
    }
    if (count == partitions.length) {
      partitions = Arrays.copyOf(partitions, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    ascending &= count == 0 || partitions[count - 1] < partition;
    ends[count] = bytes() + length;
    partitions[count++] = partition;
  }

  /** Whether the file is already sorted by partition. */
  boolean isAscending() {
    return ascending;
  }

  /** Number of bytes of every partition. */
  long[] lengths() {
    long[] lengths = new long[partitionCount];
    for (int run = 0; run < count; run++) {
      lengths[partitions[run]] += ends[run] - start(run);
    }
    return lengths;
  }

  /** Visits all ranges by ascending partition. */
  <E extends Exception> void byPartition(Visitor<E> visitor) throws E {
    // Counting sort: stable, and linear in the number of ranges and partitions.
    int[] next = new int[partitionCount + 1];
    for (int run = 0; run < count; run++) {
      next[partitions[run] + 1]++;
    }
    for (int partition = 0; partition < partitionCount; partition++) {
      next[partition + 1] += next[partition];
    }
    int[] order = new int[count];
    for (int run = 0; run < count; run++) {
      order[next[partitions[run]]++] = run;
    }
    for (int run : order) {
      visitor.visit(partitions[run], start(run), ends[run] - start(run));
    }
  }

  private long start(int run) {
    return run == 0 ? 0 : ends[run - 1];
  }
}
