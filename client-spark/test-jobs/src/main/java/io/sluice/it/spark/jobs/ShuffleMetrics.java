package io.sluice.it.spark.jobs;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Sums all task metrics of this Spark version under Spark's names: {@code
 * metric.shuffle.write.bytesWritten}. Some metrics also have a short name for tests. A collection
 * of updated blocks counts as its size. Thread-safe.
 */
final class ShuffleMetrics extends SparkListener {
  private static final long SETTLE_MS = 20_000;
  private static final String SPARK_PREFIX = "internal.metrics.";
  private static final String BYTES_WRITTEN = "shuffle.write.bytesWritten";

  private static final Map<String, String> SHORT_NAMES =
      Map.of(
          "bytesWritten", BYTES_WRITTEN,
          "recordsWritten", "shuffle.write.recordsWritten",
          "writeNanos", "shuffle.write.writeTime",
          "remoteBytesRead", "shuffle.read.remoteBytesRead",
          "localBytesRead", "shuffle.read.localBytesRead",
          "remoteBlocks", "shuffle.read.remoteBlocksFetched",
          "localBlocks", "shuffle.read.localBlocksFetched",
          "recordsRead", "shuffle.read.recordsRead",
          "fetchWaitMs", "shuffle.read.fetchWaitTime");

  private final Map<String, Long> sums = new TreeMap<>();
  private long failedTasks;
  private long killedTasks;
  private long killedBytesWritten;

  synchronized void reset() {
    sums.clear();
    failedTasks = 0;
    killedTasks = 0;
    killedBytesWritten = 0;
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
    if (end.taskInfo().killed()) {
      killedTasks++;
    }
    if (metrics == null) {
      // Such as those of an attempt that ended before Spark could kill it.
      return;
    }
    if (end.taskInfo().killed()) {
      killedBytesWritten += metrics.shuffleWriteMetrics().bytesWritten();
    }
    Iterator<?> all = all(metrics).iterator();
    while (all.hasNext()) {
      Tuple2<?, ?> one = (Tuple2<?, ?>) all.next();
      String name = ((String) one._1()).substring(SPARK_PREFIX.length());
      sums.merge(name, value((AccumulatorV2<?, ?>) one._2()), Long::sum);
    }
  }

  /** By reflection: the type of the map differs between versions of Spark. */
  private static scala.collection.Map<?, ?> all(TaskMetrics metrics) {
    try {
      return (scala.collection.Map<?, ?>)
          TaskMetrics.class.getMethod("nameToAccums").invoke(metrics);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read the metrics of a task", e);
    }
  }

  private static long value(AccumulatorV2<?, ?> metric) {
    if (metric instanceof LongAccumulator number) {
      return number.sum();
    }
    if (metric instanceof CollectionAccumulator<?> collection) {
      return collection.value().size();
    }
    throw new IllegalStateException("task metric of an unknown type: " + metric);
  }

  synchronized void report(String job, Properties into) {
    into.setProperty(job + ".failedTasks", Long.toString(failedTasks));
    into.setProperty(job + ".killedTasks", Long.toString(killedTasks));
    into.setProperty(job + ".killedBytesWritten", Long.toString(killedBytesWritten));
    sums.forEach((name, sum) -> into.setProperty(job + ".metric." + name, Long.toString(sum)));
    SHORT_NAMES.forEach(
        (name, sparks) ->
            into.setProperty(job + "." + name, Long.toString(sums.getOrDefault(sparks, 0L))));
  }
}
