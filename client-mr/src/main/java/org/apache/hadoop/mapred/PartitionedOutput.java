package org.apache.hadoop.mapred;

import java.io.IOException;

/** Receives sorted records for every partition, in ascending order of partitions. */
interface PartitionedOutput<K, V> {
  /** Begins a partition; returns a writer for its records, which the caller must not close. */
  IFile.Writer<K, V> begin(int partition) throws IOException;

  /** Ends the partition that was begun. */
  void end() throws IOException;
}
