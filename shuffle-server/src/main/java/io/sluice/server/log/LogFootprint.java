package io.sluice.server.log;

/**
 * What things of a log take of the heap, in bytes, rounded up from what {@code sluice bench
 * metadata} measures. What is kept until a shuffle goes is charged with these against a bound of
 * the whole server, so that no number of partitions, attempts or runs exhausts the heap.
 */
final class LogFootprint {
  /** A partition with its first extent and its set of complete attempts. */
  static final int PARTITION_BYTES = 400;

  /** A map attempt, in the table of its shuffle. */
  static final int ATTEMPT_BYTES = 24;

  /** What one run, or one loss, has of one partition. */
  static final int PLACE_BYTES = 26;

  /** An attempt that has begun in a partition and is not complete there. */
  static final int OPEN_ATTEMPT_BYTES = 20;

  private LogFootprint() {}
}
