package org.apache.hadoop.mapred;

import java.io.IOException;

/** The job's combiner, run by Hadoop's {@code CombinerRunner}. Owned by the task thread. */
final class Combiner<K, V> {
  private final Task.CombinerRunner<K, V> runner;
  private final Task.CombineOutputCollector<K, V> collector;

  private Combiner(Task.CombinerRunner<K, V> runner, Task.CombineOutputCollector<K, V> collector) {
    this.runner = runner;
    this.collector = collector;
  }

  /** The combiner of a job; null if the job has none. */
  static <K, V> Combiner<K, V> of(
      JobConf job,
      TaskAttemptID attempt,
      Task.TaskReporter reporter,
      Counters.Counter inputRecords,
      Counters.Counter outputRecords)
      throws ClassNotFoundException {
    Task.CombinerRunner<K, V> runner =
        Task.CombinerRunner.create(job, attempt, inputRecords, reporter, null);
    return runner == null
        ? null
        : new Combiner<>(runner, new Task.CombineOutputCollector<>(outputRecords, reporter, job));
  }

  /** Combines sorted records of one partition. */
  void combine(RawKeyValueIterator records, IFile.Writer<K, V> to)
      throws IOException, InterruptedException, ClassNotFoundException {
    collector.setWriter(to);
    runner.combine(records, collector);
  }
}
