package io.sluice.spark.write;

import java.io.IOException;

/**
 * Serializes the records of a map attempt into its sorter. Borrows keys and values. Owned by the
 * task thread.
 */
interface RecordInserter {
  void insert(PartitionSorter sorter, int partition, Object key, Object value) throws IOException;

  /** Updates Spark's metrics after the last record. */
  void end();
}
