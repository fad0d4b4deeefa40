package io.sluice.mr;

import java.io.IOException;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;

/** Allocates space for segments: in the memory of Hadoop's merge, or on the task's disks. */
public interface SegmentMemory<K, V> {
  /**
   * Allocates space for a segment. Waits while memory is short and a running merge will free some.
   *
   * @param name unique name of the segment, after which the merge names its files
   * @param rawLength uncompressed bytes of the segment
   * @param mayWait whether memory becomes free without progress of the caller; if false and memory
   *     is short, the segment is written to disk
   */
  MapOutput<K, V> allocate(TaskAttemptID name, long rawLength, boolean mayWait)
      throws IOException, InterruptedException;
}
