package io.sluice.spark.write;

import io.sluice.client.push.PushSession;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;

/** Pushes blocks to the servers and tells Spark's metrics what it costs. */
public final class PushedOutput implements MapOutput {
  private final PushSession session;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private long reportedBytes;

  /**
   * @param session takes
   */
  public PushedOutput(
      PushSession session, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    this.session = session;
    this.context = context;
    this.metrics = metrics;
  }

  @Override
  public void add(int partition, byte[] bytes, int length, int records) throws IOException {
    // A killed task whose thread is not interrupted would push on for nothing.
    context.killTaskIfInterrupted();
    long begun = System.nanoTime();
    session.add(partition, bytes, 0, length, records);
    metrics.incRecordsWritten(records);
    report(begun);
  }

  @Override
  public void beginFinalPass() {
    session.beginFinalPass();
  }

  @Override
  public void finish() throws IOException {
    long begun = System.nanoTime();
    session.finish();
    report(begun);
  }

  @Override
  public long[] partitionLengths() {
    return session.partitionLengths();
  }

  @Override
  public void close() {
    session.close();
  }

  private void report(long begunNanos) {
    long bytes = session.counters().bytes();
    metrics.incBytesWritten(bytes - reportedBytes);
    reportedBytes = bytes;
    metrics.incWriteTime(System.nanoTime() - begunNanos);
  }
}
