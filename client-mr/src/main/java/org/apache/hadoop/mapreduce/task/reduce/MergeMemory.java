package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.mr.SegmentMemory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/** Allocates memory and disk space from Hadoop's merge. Owned by the reading thread. */
final class MergeMemory<K, V> implements SegmentMemory<K, V> {
  private static final long RETRY_INTERVAL_MS = 10;

  /** Fetcher number in the names of temporary files; Hadoop's fetchers count from 1. */
  private static final int READER = 0;

  private final MergeManagerImpl<K, V> merger;
  private final JobConf job;
  private final MapOutputFile files;

  MergeMemory(MergeManagerImpl<K, V> merger, JobConf job, MapOutputFile files) {
    this.merger = merger;
    this.job = job;
    this.files = files;
  }

  @Override
  public MapOutput<K, V> allocate(TaskAttemptID name, long rawLength, boolean mayWait)
      throws IOException, InterruptedException {
    while (true) {
      MapOutput<K, V> output = merger.reserve(name, rawLength, READER);
      if (output != null) {
        return output;
      }
      if (!mayWait) {
        FileSystem local = FileSystem.getLocal(job).getRaw();
        return new OnDiskMapOutput<>(
            name,
            merger,
            rawLength,
            job,
            READER,
            true,
            local,
            files.getInputFileForWrite(name.getTaskID(), rawLength));
      }
      merger.waitForResource();
      // A fetcher passes its reserved memory to the merge only after it has received all its bytes.
      TimeUnit.MILLISECONDS.sleep(RETRY_INTERVAL_MS);
    }
  }
}
