package io.sluice.spark;

import java.util.List;
import org.apache.spark.FetchFailed;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Driver: when a reduce task finds map output missing, makes Spark forget all that the task named
 * (see {@link MissingMaps}), so that they are computed again together. Exact: an attempt that Spark
 * has replaced meanwhile has another location and is left alone. Runs on Spark's listener thread.
 */
public final class LostOutputs extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);

  private final MapOutputTrackerMaster tracker;

  public LostOutputs(MapOutputTrackerMaster tracker) {
    this.tracker = tracker;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (!(end.reason() instanceof FetchFailed failure)
        || failure.bmAddress() == null
        || !failure.bmAddress().equals(MapLocation.of(failure.mapId()))) {
      return;
    }
    List<MissingMaps.Attempt> missing = MissingMaps.in(failure.message());
    for (MissingMaps.Attempt attempt : missing) {
      if (tracker.containsShuffle(failure.shuffleId())) {
        tracker.unregisterMapOutput(
            failure.shuffleId(), attempt.mapIndex(), MapLocation.of(attempt.mapId()));
      }
    }
    LOG.info(
        "map output missing shuffle={} partition={} maps={}",
        failure.shuffleId(),
        failure.reduceId(),
        missing.size());
  }
}
