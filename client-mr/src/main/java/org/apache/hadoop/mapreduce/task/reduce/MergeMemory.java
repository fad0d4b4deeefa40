package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.mr.SegmentMemory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/** Memory and disks of Hadoop's merge. Belongs to the reading thread. */
final class MergeMemory<K, V> implements SegmentMemory<K, V> {
  private static final long LOOK_AGAIN_MS = 10;

  /** Part of the names of temporary files; fetchers have numbers from 1. */
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
  public MapOutput<K, V> place(TaskAttemptID name, long rawLength, boolean mayWait)
      throws IOException, InterruptedException {
    while (true) {
      MapOutput<K, V> place = merger.reserve(name, rawLength, READER);
      if (place != null) {
        return place;
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
      // A fetcher that holds memory gives it to the merge when it has all its bytes.
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MS);
    }
  }
}
