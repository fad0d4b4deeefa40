package io.sluice.spark;

import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.ReplacementServers.Cause;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
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
 *       MissingMaps}), and if that goes on for the same cause, all that the servers concerned had
 *       (see {@link RepeatedLosses});
 *   <li>when a fetch failure of other code names an executor and no map task, all that the executor
 *       wrote of the shuffle, as Spark does itself ({@link SluiceShuffleStatus} handles failures
 *       that name a map task);
 *   <li>when an executor is lost that served its own files, the attempts that had blocks there and
 *       nowhere else. What it served besides is at the servers too, or found missing by a reader.
 * </ul>
 *
 * <p>A server that did not answer readers is passed by from then on: what is computed again would
 * only be missed there again.
 *
 * <p>Exact: an attempt that Spark has replaced meanwhile has another id and is left alone. Runs on
 * Spark's listener thread.
 */
public final class LostOutputs extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);

  /** The map index of a fetch failure that concerns no map task in particular. */
  private static final int NO_MAP = -1;

  private final MapOutputTrackerMaster tracker;
  private final boolean filesOutliveExecutors;
  private final Supplier<Collection<Integer>> shuffles;
  private final ApplicationAssignments assignments;
  private final Executor background;
  private final RepeatedLosses repeated = new RepeatedLosses();

  /**
   * @param filesOutliveExecutors whether an external shuffle service serves local output
   * @param shuffles the numbers of the shuffles that go through Sluice at this time
   * @param assignments told of servers that did not answer
   * @param background runs what may wait for a coordinator; may refuse
   */
  public LostOutputs(
      MapOutputTrackerMaster tracker,
      boolean filesOutliveExecutors,
      Supplier<Collection<Integer>> shuffles,
      ApplicationAssignments assignments,
      Executor background) {
    this.tracker = tracker;
    this.filesOutliveExecutors = filesOutliveExecutors;
    this.shuffles = shuffles;
    this.assignments = assignments;
    this.background = background;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (!(end.reason() instanceof FetchFailed failure) || failure.bmAddress() == null) {
      return;
    }
    int shuffle = failure.shuffleId();
    if (!MapLocation.isPlaceholder(failure.bmAddress())) {
      if (failure.mapIndex() == NO_MAP && shuffles.get().contains(shuffle)) {
        forgetOutputsOf(shuffle, failure.bmAddress().executorId());
      }
      return;
    }
    if (!MapLocation.isPlaceholder(failure.bmAddress(), failure.mapId())) {
      return;
    }
    passBy(shuffle, MissingMaps.silentIn(failure.message()));
    Option<ShuffleStatus> known = tracker.shuffleStatuses().get(shuffle);
    if (known.isEmpty()) {
      return;
    }
    List<MissingMaps.Attempt> missing = MissingMaps.in(failure.message());
    List<String> servers = MissingMaps.blamedIn(failure.message());
    OptionalLong mark =
        repeated.note(
            shuffle,
            servers,
            new RepeatedLosses.StageAttempt(end.stageId(), end.stageAttemptId()),
            highestMapId(known.get()));
    int forgotten = 0;
    for (MissingMaps.Attempt attempt : missing) {
      Option<MapStatus> output = known.get().getMapStatus(attempt.mapId());
      if (output.isDefined()) {
        tracker.unregisterMapOutput(shuffle, attempt.mapIndex(), output.get().location());
        forgotten++;
      }
    }
    LOG.info(
        "map output missing shuffle={} partition={} maps={} forgotten={} servers={}",
        shuffle,
        failure.reduceId(),
        missing.size(),
        forgotten,
        servers);
    if (mark.isPresent()) {
      forgetAllAt(shuffle, known.get(), servers, mark.getAsLong());
    }
    repeated.retain(shuffles.get());
  }

  private void passBy(int shuffle, List<String> silent) {
    for (String server : silent) {
      try {
        background.execute(() -> assignments.replace(shuffle, server, Cause.FAILED, List.of()));
      } catch (RejectedExecutionException e) {
        LOG.debug("server not passed by shuffle={} server={}", shuffle, server);
      }
    }
  }

  private static long highestMapId(ShuffleStatus status) {
    return status.withMapStatuses(
        statuses ->
            Arrays.stream(statuses)
                .filter(Objects::nonNull)
                .mapToLong(MapStatus::mapId)
                .max()
                .orElse(-1));
  }

  /** What of a shuffle was at servers when they were first found to have lost something. */
  private void forgetAllAt(int shuffle, ShuffleStatus status, List<String> servers, long mark) {
    int[] partitions = assignments.partitionsOnlyAt(shuffle, servers);
    MapStatus[] statuses = status.withMapStatuses(all -> all.clone());
    int forgotten = 0;
    for (int mapIndex = 0; mapIndex < statuses.length; mapIndex++) {
      MapStatus one = statuses[mapIndex];
      if (one != null && one.mapId() <= mark && isOnlyThere(one, partitions)) {
        tracker.unregisterMapOutput(shuffle, mapIndex, one.location());
        forgotten++;
      }
    }
    LOG.info(
        "map output missing again: all of it forgotten shuffle={} servers={} maps={}",
        shuffle,
        servers,
        forgotten);
  }

  private static boolean isOnlyThere(MapStatus status, int[] partitions) {
    boolean wholeLocally =
        MapLocation.localOf(status.location()).filter(local -> !local.needed()).isPresent();
    return !wholeLocally
        && Arrays.stream(partitions).anyMatch(partition -> status.getSizeForBlock(partition) > 0);
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    if (filesOutliveExecutors) {
      return;
    }
    for (int shuffle : shuffles.get()) {
      int forgotten = forget(shuffle, location -> isNeededAt(location, removed.executorId()));
      if (forgotten > 0) {
        LOG.info(
            "local map output lost with its executor shuffle={} executor={} maps={}",
            shuffle,
            removed.executorId(),
            forgotten);
      }
    }
  }

  /** Returns how many outputs it has forgotten. */
  private int forget(int shuffle, Predicate<BlockManagerId> location) {
    Option<ShuffleStatus> status = tracker.shuffleStatuses().get(shuffle);
    if (status.isEmpty()) {
      return 0;
    }
    int before = status.get().numAvailableMapOutputs();
    status.get().removeOutputsByFilter(location::test);
    int forgotten = before - status.get().numAvailableMapOutputs();
    if (forgotten > 0) {
      // Tasks that begin from now on do not use what they have cached.
      tracker.incrementEpoch();
    }
    return forgotten;
  }

  private void forgetOutputsOf(int shuffle, String executor) {
    LOG.info(
        "fetch failure without map task: outputs of its executor forgotten shuffle={} executor={}"
            + " maps={}",
        shuffle,
        executor,
        forget(shuffle, location -> MapLocation.isOf(location, executor)));
  }

  private static boolean isNeededAt(BlockManagerId location, String executor) {
    return MapLocation.localOf(location)
        .filter(local -> local.needed() && local.at().executorId().equals(executor))
        .isPresent();
  }
}
