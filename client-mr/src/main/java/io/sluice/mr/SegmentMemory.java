package io.sluice.mr;

import java.io.IOException;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;

/** Where segments go: within the memory of Hadoop's merge, or to the task's disks. */
public interface SegmentMemory<K, V> {
  /**
   * A place for a segment. Waits while memory is short and a merge is going to free some.
   *
   * @param name of the segment alone: the merge calls its files by it
   * @param rawLength in bytes, not compressed
   * @param mayWait whether it is certain that memory becomes free without the caller; otherwise the
   *     place is on disk when memory is short
   */
  MapOutput<K, V> place(TaskAttemptID name, long rawLength, boolean mayWait)
      throws IOException, InterruptedException;
}
