package io.sluice.spark.write;

import io.sluice.client.push.PushSession;
import io.sluice.spark.MapLocation;
import io.sluice.spark.local.LocalMapOutput;
import io.sluice.spark.stats.ShuffleStatistics;
import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockManagerId;

/** Pushes blocks to the servers and leaves in local output what none of them takes. */
final class PushedOutput extends SessionOutput {
  /**
   * @param session takes
   * @param executor the executor of this process
   * @param local takes: where the session puts what no server takes; null: nowhere
   */
  PushedOutput(
      PushSession session,
      long mapId,
      String executor,
      LocalMapOutput local,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    super(session, mapId, executor, local, context, metrics, statistics);
  }

  @Override
  BlockManagerId commit(long attempt, LocalMapOutput kept) throws IOException {
    return MapLocation.withLocal(attempt, kept.commit(true), true);
  }
}
