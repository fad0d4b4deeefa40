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
 * Gives blocks to a push session, which sends them to servers or keeps them in local output.
 * Reports to Spark's metrics on the way, and to the statistics of the shuffle when it is closed.
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
   * @param local takes: where the session puts what goes to no server; null: nowhere
   * @param afterCommit called when local output has blocks and is committed: servers get them
   *     later; null if local output has the only copy of its blocks
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
    // A killed task whose thread is not interrupted would write on for nothing.
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
    location = local == null || local.isEmpty() ? MapLocation.atServers(mapId, executor) : commit();
    report(begun);
  }

  /**
   * Commits local output, which has blocks. The executor has to stay until the shuffle ends only if
   * servers do not get them.
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
