package io.sluice.spark.engine;

import scala.Tuple2;
import scala.collection.Iterator;

/** Turns the blocks of a reduce task into records. Used by one thread. */
public interface RecordDecoder {
  /**
   * Decodes all contents. The iterator throws what the contents throw, also checked exceptions.
   *
   * @param contents borrows
   * @return records, each valid until the next one is taken
   */
  Iterator<Tuple2<Object, Object>> decode(BlockContents contents);

  /** Number of rows that a decoded record counts as in Spark's metrics. */
  long rows(Tuple2<Object, Object> record);
}
