package org.apache.hadoop.mapred;

import java.io.IOException;

/** The whole output of a map task, sorted, wherever it is. May be written more than once. */
interface SortedRecords<K, V> {
  void writeTo(PartitionedOutput<K, V> output)
      throws IOException, InterruptedException, ClassNotFoundException;
}
