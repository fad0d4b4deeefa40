package io.sluice.spark.write;

import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;

/**
 * Passes on one part of a map task's metrics: an engine's writer counts records, the push of its
 * file counts bytes. Both add their time. Used by one thread.
 */
public final class PartialMetrics implements ShuffleWriteMetricsReporter {
  private final ShuffleWriteMetricsReporter task;
  private final boolean records;

  private PartialMetrics(ShuffleWriteMetricsReporter task, boolean records) {
    this.task = task;
    this.records = records;
  }

  public static ShuffleWriteMetricsReporter recordsOnly(ShuffleWriteMetricsReporter task) {
    return new PartialMetrics(task, true);
  }

  public static ShuffleWriteMetricsReporter bytesOnly(ShuffleWriteMetricsReporter task) {
    return new PartialMetrics(task, false);
  }

  @Override
  public void incBytesWritten(long count) {
    if (!records) {
      task.incBytesWritten(count);
    }
  }

  @Override
  public void decBytesWritten(long count) {
    if (!records) {
      task.decBytesWritten(count);
    }
  }

  @Override
  public void incRecordsWritten(long count) {
    if (records) {
      task.incRecordsWritten(count);
    }
  }

  @Override
  public void decRecordsWritten(long count) {
    if (records) {
      task.decRecordsWritten(count);
    }
  }

  @Override
  public void incWriteTime(long nanos) {
    task.incWriteTime(nanos);
  }
}
