package io.sluice.spark.write;

import io.sluice.client.push.PushSession;
import io.sluice.spark.MapLocation;
import io.sluice.spark.TaskDirectMemory;
import io.sluice.spark.local.LocalMapOutput;
import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleStatistics;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockManagerId;

/**
 * Adds blocks to a push session, which sends them to servers or writes them to local output.
 * Updates Spark's metrics, and the shuffle's statistics when it is closed.
 */
final class SessionOutput implements MapOutput {
  private final PushSession session;
  private final long mapId;
  private final String executor;
  private final LocalMapOutput local;
  private final Runnable afterCommit;
  private final TaskContext context;
  private final ShuffleWriteMetricsReporter metrics;
  private final ShuffleStatistics statistics;
  private final TaskDirectMemory memory;
  private long reportedBytes;
  private BlockManagerId location;
  private boolean counted;

  /**
   * @param session takes
   * @param executor the executor of this process
   * @param local takes: the session's local output; null for none
   * @param afterCommit called after non-empty local output is committed, to push it in the
   *     background; null if local output stays the only copy of its blocks
   */
  SessionOutput(
      PushSession session,
      long mapId,
      String executor,
      LocalMapOutput local,
      Runnable afterCommit,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    this.session = session;
    this.mapId = mapId;
    this.executor = executor;
    this.local = local;
    this.afterCommit = afterCommit;
    this.context = context;
    this.metrics = metrics;
    this.statistics = statistics;
    this.memory = new TaskDirectMemory(context.taskMemoryManager());
  }

  @Override
  public void add(int partition, byte[] bytes, int length, int records) throws IOException {
    // A killed task whose thread is not interrupted would otherwise continue to write.
    context.killTaskIfInterrupted();
    long begun = System.nanoTime();
    session.add(partition, bytes, 0, length, records);
    long unacknowledged = session.bufferedBytes();
    long granted = memory.account(unacknowledged);
    if (granted < unacknowledged) {
      session.awaitUnacknowledgedAtMost(granted);
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
    location = local == null || local.isEmpty() ? MapLocation.atServers(mapId, executor) : commit();
    report(begun);
  }

  /**
   * Commits non-empty local output. If it stays the only copy of its blocks, the executor must stay
   * until the shuffle ends.
   */
  private BlockManagerId commit() throws IOException {
    boolean onlyCopy = afterCommit == null;
    BlockManagerId committed = MapLocation.withLocal(mapId, local.commit(onlyCopy), onlyCopy);
    if (!onlyCopy) {
      afterCommit.run();
    }
    return committed;
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
  public void close() {
    session.close();
    memory.release(context.taskMetrics());
    if (local != null) {
      local.close();
    }
    if (!counted) {
      counted = true;
      statistics.add(ShuffleCounters.of(session.counters()));
    }
  }

  private void report(long begunNanos) {
    long bytes = session.counters().bytes();
    metrics.incBytesWritten(bytes - reportedBytes);
    reportedBytes = bytes;
    metrics.incWriteTime(System.nanoTime() - begunNanos);
  }
}
