package io.sluice.server.log;

/**
 * Heap sizes of a log's metadata, in bytes, rounded up from the results of {@code sluice bench
 * metadata}. Metadata is stored until its shuffle is removed. It counts against a limit of the
 * whole server, so that no number of partitions, attempts or runs exhausts the heap.
 */
final class LogFootprint {
  /** One partition with its first extent and its set of complete attempts. */
  static final int PARTITION_BYTES = 400;

  /** One map attempt, in the table of its shuffle. */
  static final int ATTEMPT_BYTES = 24;

  /** One extent of a partition in a run file, or one lost extent. */
  static final int EXTENT_BYTES = 26;

  /** One attempt in progress in one partition. */
  static final int OPEN_ATTEMPT_BYTES = 20;

  private LogFootprint() {}
}
