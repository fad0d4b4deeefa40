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
import java.util.function.IntConsumer;
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
 * Driver: unregisters lost map outputs from Spark's map output tracker, so that one stage attempt
 * recomputes all of them, and only them:
 *
 * <ul>
 *   <li>A reduce task finds map output missing: all outputs that the task names (see {@link
 *       MissingMaps}). If the same servers cause a later failure: all outputs on these servers (see
 *       {@link RepeatedLosses}).
 *   <li>A fetch failure from other code than Sluice's reader names an executor and no map task: all
 *       outputs of the shuffle that this executor wrote, as Spark does. {@link SluiceShuffleStatus}
 *       handles failures that name a map task.
 *   <li>An executor that served its own files is lost: all attempts whose only copy of some blocks
 *       was in these files. Its other local output is also on servers, or a reader reports it
 *       missing.
 * </ul>
 *
 * <p>For a server that did not answer readers, a replacement server is requested, so that
 * recomputed output does not go to the unresponsive server again.
 *
 * <p>The number of attempts whose records do not match their receipts is reported to operators.
 *
 * <p>An attempt that Spark has replaced meanwhile has another id and stays registered. Runs on
 * Spark's listener thread.
 */
public final class LostOutputs extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);

  /** Map index of a fetch failure that names no map task. */
  private static final int NO_MAP = -1;

  private final MapOutputTrackerMaster tracker;
  private final boolean filesOutliveExecutors;
  private final Supplier<Collection<Integer>> shuffles;
  private final ApplicationAssignments assignments;
  private final Executor background;
  private final IntConsumer wrongReceipts;
  private final RepeatedLosses repeated = new RepeatedLosses();

  /**
   * @param filesOutliveExecutors whether an external shuffle service serves local output
   * @param shuffles supplies the shuffles that use servers now
   * @param assignments asked to replace servers that did not answer
   * @param background runs calls that may wait for a coordinator; may reject them
   * @param wrongReceipts receives the number of attempts whose records do not match their receipts
   */
  public LostOutputs(
      MapOutputTrackerMaster tracker,
      boolean filesOutliveExecutors,
      Supplier<Collection<Integer>> shuffles,
      ApplicationAssignments assignments,
      Executor background,
      IntConsumer wrongReceipts) {
    this.tracker = tracker;
    this.filesOutliveExecutors = filesOutliveExecutors;
    this.shuffles = shuffles;
    this.assignments = assignments;
    this.background = background;
    this.wrongReceipts = wrongReceipts;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (!(end.reason() instanceof FetchFailed failure) || failure.bmAddress() == null) {
      return;
    }
    int shuffle = failure.shuffleId();
    if (!MapLocation.isPlaceholder(failure.bmAddress())) {
      if (failure.mapIndex() == NO_MAP && shuffles.get().contains(shuffle)) {
        unregisterOutputsOf(shuffle, failure.bmAddress().executorId());
      }
      return;
    }
    if (!MapLocation.isPlaceholder(failure.bmAddress(), failure.mapId())) {
      return;
    }
    int wrong = MissingMaps.wrongReceiptsIn(failure.message());
    if (wrong > 0) {
      wrongReceipts.accept(wrong);
    }
    requestReplacements(shuffle, MissingMaps.silentServersIn(failure.message()));
    Option<ShuffleStatus> known = tracker.shuffleStatuses().get(shuffle);
    if (known.isEmpty()) {
      return;
    }
    List<MissingMaps.Attempt> missing = MissingMaps.in(failure.message());
    List<String> servers = MissingMaps.blamedServersIn(failure.message());
    OptionalLong mark =
        repeated.addFailure(
            shuffle,
            servers,
            new RepeatedLosses.StageAttempt(end.stageId(), end.stageAttemptId()),
            highestMapId(known.get()));
    int unregistered = 0;
    for (MissingMaps.Attempt attempt : missing) {
      MapStatus output = output(known.get(), attempt.mapIndex());
      if (output != null && output.mapId() == attempt.mapId()) {
        tracker.unregisterMapOutput(shuffle, attempt.mapIndex(), output.location());
        unregistered++;
      }
    }
    LOG.info(
        "map output missing, unregistering it shuffle={} partition={} maps={} unregistered={}"
            + " servers={}",
        shuffle,
        failure.reduceId(),
        missing.size(),
        unregistered,
        servers);
    if (mark.isPresent()) {
      unregisterAllAt(shuffle, known.get(), servers, mark.getAsLong());
    }
    repeated.retain(shuffles.get());
  }

  /** The registered output of a map task, or null. */
  private static MapStatus output(ShuffleStatus status, int mapIndex) {
    return status.withMapStatuses(all -> mapIndex < all.length ? all[mapIndex] : null);
  }

  private void requestReplacements(int shuffle, List<String> silent) {
    for (String server : silent) {
      try {
        background.execute(() -> assignments.replace(shuffle, server, Cause.FAILED, List.of()));
      } catch (RejectedExecutionException e) {
        LOG.debug(
            "replacement of an unresponsive server not requested: too many requests are queued"
                + " shuffle={} server={}",
            shuffle,
            server);
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

  /** Unregisters all outputs that these servers stored when the first loss was found. */
  private void unregisterAllAt(int shuffle, ShuffleStatus status, List<String> servers, long mark) {
    int[] partitions = assignments.partitionsOnlyAt(shuffle, servers);
    MapStatus[] statuses = status.withMapStatuses(all -> all.clone());
    int unregistered = 0;
    for (int mapIndex = 0; mapIndex < statuses.length; mapIndex++) {
      MapStatus one = statuses[mapIndex];
      if (one != null && one.mapId() <= mark && isOnlyThere(one, partitions)) {
        tracker.unregisterMapOutput(shuffle, mapIndex, one.location());
        unregistered++;
      }
    }
    LOG.info(
        "map output missing again at the same servers, unregistering all of their output"
            + " shuffle={} servers={} maps={}",
        shuffle,
        servers,
        unregistered);
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
      int unregistered =
          unregister(shuffle, location -> isNeededAt(location, removed.executorId()));
      if (unregistered > 0) {
        LOG.info(
            "local map output lost with its executor, unregistering it shuffle={} executor={}"
                + " maps={}",
            shuffle,
            removed.executorId(),
            unregistered);
      }
    }
  }

  /** Returns the number of unregistered outputs. */
  private int unregister(int shuffle, Predicate<BlockManagerId> location) {
    Option<ShuffleStatus> status = tracker.shuffleStatuses().get(shuffle);
    if (status.isEmpty()) {
      return 0;
    }
    int before = status.get().numAvailableMapOutputs();
    status.get().removeOutputsByFilter(location::test);
    int unregistered = before - status.get().numAvailableMapOutputs();
    if (unregistered > 0) {
      // Tasks that start from now on discard their cached map statuses.
      tracker.incrementEpoch();
    }
    return unregistered;
  }

  private void unregisterOutputsOf(int shuffle, String executor) {
    LOG.info(
        "fetch failure names no map task, unregistering all outputs of its executor shuffle={}"
            + " executor={} maps={}",
        shuffle,
        executor,
        unregister(shuffle, location -> MapLocation.isOf(location, executor)));
  }

  private static boolean isNeededAt(BlockManagerId location, String executor) {
    return MapLocation.localOf(location)
        .filter(local -> local.needed() && local.at().executorId().equals(executor))
        .isPresent();
  }
}
