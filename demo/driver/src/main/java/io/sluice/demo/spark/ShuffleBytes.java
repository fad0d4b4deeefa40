package io.sluice.demo.spark;

import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Sums the shuffle bytes of Spark's task metrics. Thread-safe: Spark's listener bus adds, the
 * driver reads.
 */
final class ShuffleBytes extends SparkListener {
  private final LongAdder writtenBytes = new LongAdder();
  private final LongAdder readBytes = new LongAdder();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (metrics != null) {
      writtenBytes.add(metrics.shuffleWriteMetrics().bytesWritten());
      readBytes.add(metrics.shuffleReadMetrics().totalBytesRead());
    }
  }

  long writtenBytes() {
    return writtenBytes.sum();
  }

  long readBytes() {
    return readBytes.sum();
  }
}
