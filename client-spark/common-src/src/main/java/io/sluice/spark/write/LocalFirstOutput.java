package io.sluice.spark.write;

import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushSession;
import io.sluice.spark.MapLocation;
import io.sluice.spark.local.LocalMapOutput;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockManagerId;

/**
 * Puts all blocks into local output, which is safe as soon as the task ends. Servers get them
 * afterwards, behind the task.
 */
final class LocalFirstOutput implements MapOutput {
  private final PushSession session;
  private final long mapId;
  private final LocalMapOutput local;
  private final Runnable pushBehind;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private long reportedBytes;
  private BlockManagerId location;

  /**
   * @param session takes: all its blocks go to {@code local}
   * @param local takes
   * @param pushBehind called when there are blocks in local output, and they are committed
   */
  LocalFirstOutput(
      PushSession session,
      long mapId,
      LocalMapOutput local,
      Runnable pushBehind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.session = session;
    this.mapId = mapId;
    this.local = local;
    this.pushBehind = pushBehind;
    this.context = context;
    this.metrics = metrics;
  }

  @Override
  public void add(int partition, byte[] bytes, int length, int records) throws IOException {
    // A killed task whose thread is not interrupted would write on for nothing.
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
    if (local.isEmpty()) {
      location = MapLocation.of(mapId);
    } else {
      // Not needed: when the executor goes, servers may have all of it by then.
      location = MapLocation.withLocal(mapId, local.commit(false), false);
      pushBehind.run();
    }
    report(begun);
  }

  @Override
  public long[] partitionLengths() {
    return session.partitionLengths();
  }

  @Override
  public BlockManagerId location() {
    return location;
  }

  @Override
  public PushCounters counters() {
    return session.counters();
  }

  @Override
  public void close() {
    session.close();
    local.close();
  }

  private void report(long begunNanos) {
    long bytes = session.counters().bytes();
    metrics.incBytesWritten(bytes - reportedBytes);
    reportedBytes = bytes;
    metrics.incWriteTime(System.nanoTime() - begunNanos);
  }
}
