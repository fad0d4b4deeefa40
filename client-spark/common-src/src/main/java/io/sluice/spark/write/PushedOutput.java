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
 * Pushes blocks to the servers, leaves in local output what none of them takes, and tells Spark's
 * metrics what it costs.
 */
public final class PushedOutput implements MapOutput {
  private final PushSession session;
  private final long mapId;
  private final LocalMapOutput local;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final FrameMemory memory;
  private long reportedBytes;
  private BlockManagerId location;

  /**
   * @param session takes
   * @param local takes: where the session puts what no server takes; null: nowhere
   */
  public PushedOutput(
      PushSession session,
      long mapId,
      LocalMapOutput local,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    this.session = session;
    this.mapId = mapId;
    this.local = local;
    this.context = context;
    this.metrics = metrics;
    this.memory = new FrameMemory(context.taskMemoryManager());
  }

  @Override
  public void add(int partition, byte[] bytes, int length, int records) throws IOException {
    // A killed task whose thread is not interrupted would push on for nothing.
    context.killTaskIfInterrupted();
    long begun = System.nanoTime();
    session.add(partition, bytes, 0, length, records);
    long held = session.heldBytes();
    long granted = memory.account(held);
    if (granted < held) {
      session.awaitHeldAtMost(granted);
    }
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
    location =
        local == null || local.isEmpty()
            ? MapLocation.of(mapId)
            : MapLocation.withLocal(mapId, local.commit(true), true);
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
    memory.release();
    if (local != null) {
      local.close();
    }
  }

  private void report(long begunNanos) {
    long bytes = session.counters().bytes();
    metrics.incBytesWritten(bytes - reportedBytes);
    reportedBytes = bytes;
    metrics.incWriteTime(System.nanoTime() - begunNanos);
  }
}
