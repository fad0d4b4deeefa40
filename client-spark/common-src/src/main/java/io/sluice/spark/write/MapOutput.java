package io.sluice.spark.write;

import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * Where the blocks of one map attempt go. Used by one thread at a time.
 *
 * <p>The blocks of one partition are read back in the order in which they were given.
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
   * Says that from now on partitions come in ascending order, each for the last time: their last
   * blocks can say so themselves.
   */
  void beginFinalPass();

  /**
   * Completes every partition that got a block and waits until all of it is safe, for a bounded
   * time.
   */
  void finish() throws IOException;

  /**
   * Bytes of every partition as readers will fetch them; exactly 0 for a partition without blocks.
   * Valid after {@link #finish}.
   */
  long[] partitionLengths();

  /**
   * Where Spark is to be told that the output lies: one of {@link io.sluice.spark.MapLocation}.
   * Valid after {@link #finish}.
   */
  BlockManagerId location();

  /** Gives the output up, or, after {@link #finish}, frees what it holds. Idempotent. */
  void close();
}
