package io.sluice.spark.engine;

import java.io.InputStream;
import scala.Tuple2;
import scala.collection.Iterator;

/** Turns the blocks of a reduce task into records. Used by one thread. */
public interface RecordDecoder {
  /** Whether one stream may have the contents of several blocks. */
  boolean joinsBlocks();

  /**
   * Starts to decode a stream.
   *
   * @param blocks borrows: contents of one block, or of all blocks
   */
  Iterator<Tuple2<Object, Object>> decode(InputStream blocks);

  /** Number of rows that a decoded record counts as in Spark's metrics. */
  long rows(Tuple2<Object, Object> record);
}
