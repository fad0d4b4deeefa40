package io.sluice.it.spark.jobs;

import java.util.Properties;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Sums the shuffle metrics of tasks, as Spark's UI shows them. Thread-safe. */
final class ShuffleMetrics extends SparkListener {
  private static final long SETTLE_MS = 20_000;

  private long failedTasks;
  private long killedTasks;
  private long killedBytesWritten;
  private long bytesWritten;
  private long recordsWritten;
  private long writeNanos;
  private long remoteBytesRead;
  private long localBytesRead;
  private long remoteBlocks;
  private long recordsRead;
  private long localBlocks;
  private long fetchWaitMs;

  synchronized void reset() {
    failedTasks = 0;
    killedTasks = 0;
    killedBytesWritten = 0;
    bytesWritten = 0;
    recordsWritten = 0;
    writeNanos = 0;
    remoteBytesRead = 0;
    localBytesRead = 0;
    remoteBlocks = 0;
    recordsRead = 0;
    localBlocks = 0;
    fetchWaitMs = 0;
  }

  /** Waits until every event so far has been counted. */
  static void settle(SparkContext context) {
    try {
      context.listenerBus().waitUntilEmpty(SETTLE_MS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("listener events not delivered within " + SETTLE_MS + " ms");
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (!end.taskInfo().successful()) {
      failedTasks++;
    }
    if (metrics == null) {
      return;
    }
    if (end.taskInfo().killed()) {
      killedTasks++;
      killedBytesWritten += metrics.shuffleWriteMetrics().bytesWritten();
    }
    bytesWritten += metrics.shuffleWriteMetrics().bytesWritten();
    recordsWritten += metrics.shuffleWriteMetrics().recordsWritten();
    writeNanos += metrics.shuffleWriteMetrics().writeTime();
    remoteBytesRead += metrics.shuffleReadMetrics().remoteBytesRead();
    localBytesRead += metrics.shuffleReadMetrics().localBytesRead();
    remoteBlocks += metrics.shuffleReadMetrics().remoteBlocksFetched();
    recordsRead += metrics.shuffleReadMetrics().recordsRead();
    localBlocks += metrics.shuffleReadMetrics().localBlocksFetched();
    fetchWaitMs += metrics.shuffleReadMetrics().fetchWaitTime();
  }

  synchronized void report(String job, Properties into) {
    into.setProperty(job + ".failedTasks", Long.toString(failedTasks));
    into.setProperty(job + ".killedTasks", Long.toString(killedTasks));
    into.setProperty(job + ".killedBytesWritten", Long.toString(killedBytesWritten));
    into.setProperty(job + ".bytesWritten", Long.toString(bytesWritten));
    into.setProperty(job + ".recordsWritten", Long.toString(recordsWritten));
    into.setProperty(job + ".writeNanos", Long.toString(writeNanos));
    into.setProperty(job + ".remoteBytesRead", Long.toString(remoteBytesRead));
    into.setProperty(job + ".localBytesRead", Long.toString(localBytesRead));
    into.setProperty(job + ".remoteBlocks", Long.toString(remoteBlocks));
    into.setProperty(job + ".recordsRead", Long.toString(recordsRead));
    into.setProperty(job + ".localBlocks", Long.toString(localBlocks));
    into.setProperty(job + ".fetchWaitMs", Long.toString(fetchWaitMs));
  }
}
