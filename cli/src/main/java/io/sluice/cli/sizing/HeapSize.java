package io.sluice.cli.sizing;

/**
 * Heap size of a server for its shuffles, computed from measured bytes per table entry
 * (docs/storage.md).
 */
final class HeapSize {
  /** Typical size of a run file before merging. */
  static final long RUN_BYTES = 256L << 20;

  private static final int BYTES_PER_PARTITION = 400;
  private static final int BYTES_PER_PARTITION_AND_RUN = 26;
  private static final int BYTES_PER_MAP = 24;
  private static final int BYTES_PER_STORED_MIB = 25;

  /** Heap bytes per table byte: a heap that is at most half full keeps garbage collection cheap. */
  private static final int HEAP_PER_TABLE_BYTE = 2;

  /** Heap of code, connections and requests. */
  private static final long BASE_BYTES = 256L << 20;

  private HeapSize() {}

  /**
   * Bytes of the tables of equal shuffles.
   *
   * @param shuffles number of shuffles on this server
   * @param partitions number of partitions of each shuffle on this server
   * @param maps number of map tasks of each shuffle
   * @param storedBytes bytes of all shuffles on this server
   * @param mergedRuns number of runs merged into one; 1: no merging
   */
  static double tableBytes(
      long shuffles, long partitions, long maps, double storedBytes, int mergedRuns) {
    double runs = Math.max(1, storedBytes / shuffles / RUN_BYTES / mergedRuns);
    double perShuffle =
        partitions * (BYTES_PER_PARTITION + BYTES_PER_PARTITION_AND_RUN * runs)
            + (double) BYTES_PER_MAP * maps;
    return shuffles * perShuffle + BYTES_PER_STORED_MIB * (storedBytes / (1 << 20));
  }

  /** Minimum heap for tables of this size. */
  static double minBytes(double tableBytes) {
    return BASE_BYTES + HEAP_PER_TABLE_BYTE * tableBytes;
  }
}
