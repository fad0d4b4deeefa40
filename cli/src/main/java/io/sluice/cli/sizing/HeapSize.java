package io.sluice.cli.sizing;

/**
 * What a server's heap holds of the shuffles that lie there, by the measured bytes of each of its
 * tables (docs/storage.md).
 */
final class HeapSize {
  /** About what a server writes at once. */
  static final long RUN_BYTES = 256L << 20;

  private static final int BYTES_PER_PARTITION = 400;
  private static final int BYTES_PER_PARTITION_AND_RUN = 26;
  private static final int BYTES_PER_MAP = 24;
  private static final int BYTES_PER_STORED_MIB = 25;

  /** A heap that is full half is collected without haste. */
  private static final int REST = 2;

  /** Code, connections, requests. */
  private static final long BASE_BYTES = 256L << 20;

  private HeapSize() {}

  /**
   * The tables of shuffles that are alike.
   *
   * @param shuffles on this server
   * @param partitions of each of them, on this server
   * @param maps that pushed to each of them
   * @param storedBytes of all of them, on this server
   * @param mergedRuns how many runs have become one; 1: none was merged
   */
  static double tableBytes(
      long shuffles, long partitions, long maps, double storedBytes, int mergedRuns) {
    double runs = Math.max(1, storedBytes / shuffles / RUN_BYTES / mergedRuns);
    double ofOne =
        partitions * (BYTES_PER_PARTITION + BYTES_PER_PARTITION_AND_RUN * runs)
            + (double) BYTES_PER_MAP * maps;
    return shuffles * ofOne + BYTES_PER_STORED_MIB * (storedBytes / (1 << 20));
  }

  /** The least heap for tables of this size. */
  static double leastBytes(double tableBytes) {
    return BASE_BYTES + REST * tableBytes;
  }
}
