package io.sluice.spark;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.FetchFailed;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Driver: makes Spark forget map output that is known to be gone, so that it is computed again
 * together, and none that is not:
 *
 * <ul>
 *   <li>when a reduce task finds map output missing, all that the task named (see {@link
 *       MissingMaps});
 *   <li>when an executor is lost that served its own files, the attempts that had blocks there and
 *       nowhere else. What it served besides is at the servers too, or found missing by a reader.
 * </ul>
 *
 * <p>Exact: an attempt that Spark has replaced meanwhile has another id and is left alone. Runs on
 * Spark's listener thread.
 */
public final class LostOutputs extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);

  private final MapOutputTrackerMaster tracker;
  private final boolean filesOutliveExecutors;
  private final Supplier<Collection<Integer>> shuffles;

  /**
   * @param filesOutliveExecutors whether an external shuffle service serves local output
   * @param shuffles the numbers of the shuffles that go through Sluice at this time
   */
  public LostOutputs(
      MapOutputTrackerMaster tracker,
      boolean filesOutliveExecutors,
      Supplier<Collection<Integer>> shuffles) {
    this.tracker = tracker;
    this.filesOutliveExecutors = filesOutliveExecutors;
    this.shuffles = shuffles;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (!(end.reason() instanceof FetchFailed failure)
        || failure.bmAddress() == null
        || !MapLocation.isMadeUp(failure.bmAddress(), failure.mapId())) {
      return;
    }
    List<MissingMaps.Attempt> missing = MissingMaps.in(failure.message());
    Option<ShuffleStatus> status = tracker.shuffleStatuses().get(failure.shuffleId());
    int forgotten = 0;
    if (status.isDefined()) {
      for (MissingMaps.Attempt attempt : missing) {
        Option<MapStatus> output = status.get().getMapStatus(attempt.mapId());
        if (output.isDefined()) {
          tracker.unregisterMapOutput(
              failure.shuffleId(), attempt.mapIndex(), output.get().location());
          forgotten++;
        }
      }
    }
    LOG.info(
        "map output missing shuffle={} partition={} maps={} forgotten={}",
        failure.shuffleId(),
        failure.reduceId(),
        missing.size(),
        forgotten);
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    if (filesOutliveExecutors) {
      return;
    }
    for (int shuffle : shuffles.get()) {
      Option<ShuffleStatus> status = tracker.shuffleStatuses().get(shuffle);
      if (status.isDefined()) {
        int before = status.get().numAvailableMapOutputs();
        status
            .get()
            .removeOutputsByFilter(location -> isNeededAt(location, removed.executorId()));
        int forgotten = before - status.get().numAvailableMapOutputs();
        if (forgotten > 0) {
          // Tasks that begin from now on do not use what they have cached.
          tracker.incrementEpoch();
          LOG.info(
              "local map output lost with its executor shuffle={} executor={} maps={}",
              shuffle,
              removed.executorId(),
              forgotten);
        }
      }
    }
  }

  private static boolean isNeededAt(BlockManagerId location, String executor) {
    return MapLocation.localOf(location)
        .filter(local -> local.needed() && local.at().executorId().equals(executor))
        .isPresent();
  }
}
