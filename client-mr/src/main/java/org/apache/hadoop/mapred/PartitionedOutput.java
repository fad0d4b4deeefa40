package org.apache.hadoop.mapred;

import java.io.IOException;

/** Takes sorted records, partition by partition, in ascending order and none left out. */
interface PartitionedOutput<K, V> {
  /** Begins a partition: its records go to what is returned, which is not to be closed. */
  IFile.Writer<K, V> begin(int partition) throws IOException;

  /** Ends the partition that was begun. */
  void end() throws IOException;
}
