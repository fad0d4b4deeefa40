package org.apache.hadoop.mapred;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;

/** Context of a collector in a map task, with counters and directories. */
final class MapAttemptInTest {
  final JobConf job = new JobConf();
  final Counters counters;
  final MapTask task;
  private final Task.TaskReporter reporter;

  MapAttemptInTest(Path directory, int partitions) {
    job.set("mapreduce.cluster.local.dir", directory.toString());
    job.set(MRJobConfig.TASK_ATTEMPT_ID, "attempt_1_0001_m_000002_0");
    job.setNumReduceTasks(partitions);
    task =
        new MapTask(
            "job.xml",
            new TaskAttemptID("1", 1, TaskType.MAP, 2, 0),
            2,
            new org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex(),
            1) {
          private final Progress sort = new Progress();

          @Override
          public Progress getSortPhase() {
            return sort;
          }
        };
    reporter = task.new TaskReporter(new Progress(), null);
    counters = task.getCounters();
  }

  /** The context; called after the job has been configured. */
  MapOutputCollector.Context context() throws IOException {
    task.setConf(job);
    task.localizeConfiguration(job);
    return new MapOutputCollector.Context(task, job, reporter);
  }
}
