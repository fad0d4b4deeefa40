package io.sluice.client.local;

import java.util.Arrays;

/**
 * Where the blocks of each partition lie in a file that was written from its start to its end: runs
 * of blocks of one partition, 12 bytes for each. Belongs to one thread.
 */
final class BlockRuns {
  private final int partitionCount;
  private int[] partitions = new int[64];
  private long[] ends = new long[64];
  private int count;
  private boolean ascending = true;

  /** Takes the runs of a partition one after the other, in the order in which they were written. */
  interface Visitor<E extends Exception> {
    void visit(int partition, long offset, long length) throws E;
  }

  BlockRuns(int partitionCount) {
    this.partitionCount = partitionCount;
  }

  /** Bytes noted so far: where the next run starts. */
  long bytes() {
    return count == 0 ? 0 : ends[count - 1];
  }

  /** Notes that the next bytes are blocks of a partition. */
  void add(int partition, long length) {
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " of an output with " + partitionCount + " partitions");
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

  /** Whether the file is laid out by partition as it is. */
  boolean isAscending() {
    return ascending;
  }

  /** Bytes of every partition. */
  long[] lengths() {
    long[] lengths = new long[partitionCount];
    for (int run = 0; run < count; run++) {
      lengths[partitions[run]] += ends[run] - start(run);
    }
    return lengths;
  }

  /** Visits all runs by ascending partition. */
  <E extends Exception> void byPartition(Visitor<E> visitor) throws E {
    // Sorted by counting: stable, and in time that follows runs and partitions.
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
