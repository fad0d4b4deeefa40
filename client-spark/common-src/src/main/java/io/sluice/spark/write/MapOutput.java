package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * Receives the blocks of one map attempt. Used by one thread at a time.
 *
 * <p>The blocks of one partition are read in the order in which they were added.
 */
public interface MapOutput {
  /**
   * Adds a block of whole records.
   *
   * @param bytes borrows: serialized records, uncompressed; may be larger than a block or a frame
   * @param length at least 1
   * @param records records in the block
   */
  void add(int partition, byte[] bytes, int length, int records) throws IOException;

  /**
   * Starts the final pass: from now on blocks are added by ascending partition, each partition for
   * the last time. The last block of each partition can then be flagged as such.
   */
  void beginFinalPass();

  /**
   * Completes every partition that has a block. Waits for a bounded time until all blocks are
   * acknowledged or committed to local output.
   */
  void finish() throws IOException;

  /**
   * Bytes of every partition as readers will fetch them; exactly 0 for a partition without blocks.
   * Valid after {@link #finish}.
   */
  long[] partitionLengths();

  /**
   * The map output location to report to Spark, built by {@link io.sluice.spark.MapLocation}. Valid
   * after {@link #finish}.
   */
  BlockManagerId location();

  /** Before {@link #finish}, aborts the output; releases all resources. Idempotent. */
  void close();
}
