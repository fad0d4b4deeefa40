package io.sluice.spark.write;

import io.sluice.client.push.PushSession;
import io.sluice.spark.MapLocation;
import io.sluice.spark.local.LocalMapOutput;
import io.sluice.spark.stats.ShuffleStatistics;
import java.io.IOException;
import java.util.Objects;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockManagerId;

/**
 * Puts all blocks into local output, which is safe as soon as the task ends. Servers get them
 * afterwards, behind the task.
 */
final class LocalFirstOutput extends SessionOutput {
  private final Runnable pushBehind;

  /**
   * @param session takes: all its blocks go to {@code local}
   * @param executor the executor of this process
   * @param local takes
   * @param pushBehind called when there are blocks in local output, and they are committed
   */
  LocalFirstOutput(
      PushSession session,
      long mapId,
      String executor,
      LocalMapOutput local,
      Runnable pushBehind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    super(session, mapId, executor, Objects.requireNonNull(local), context, metrics, statistics);
    this.pushBehind = pushBehind;
  }

  @Override
  BlockManagerId commit(long attempt, LocalMapOutput kept) throws IOException {
    // Not needed: when the executor goes, servers may have all of it by then.
    BlockManagerId location = MapLocation.withLocal(attempt, kept.commit(false), false);
    pushBehind.run();
    return location;
  }
}
