package org.apache.hadoop.mapred;

import java.io.IOException;

/** The sorted output of a map task, in memory or on disk. May be written more than once. */
interface SortedRecords<K, V> {
  void writeTo(PartitionedOutput<K, V> output)
      throws IOException, InterruptedException, ClassNotFoundException;
}
