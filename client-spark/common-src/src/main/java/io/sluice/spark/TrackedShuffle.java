package io.sluice.spark;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.spark.compat.SparkApis;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import scala.Option;

/**
 * Driver: sees to it that the map statuses of one shuffle in Spark's map output tracker are a
 * {@link SluiceShuffleStatus}. The scheduler registers a shuffle that the tracker does not have
 * with a status of its own: so it does with one that was removed and is computed again.
 */
public final class TrackedShuffle {
  private final int shuffleId;
  private final int maps;
  private final int partitions;
  private final ApplicationAssignments assignments;
  private final MapOutputTrackerMaster tracker;

  public TrackedShuffle(
      int shuffleId,
      int maps,
      int partitions,
      ApplicationAssignments assignments,
      MapOutputTrackerMaster tracker) {
    this.shuffleId = shuffleId;
    this.maps = maps;
    this.partitions = partitions;
    this.assignments = assignments;
    this.tracker = tracker;
  }

  /** Registers the shuffle, before the scheduler would. */
  public void begin() {
    tracker.shuffleStatuses().put(shuffleId, SparkApis.current().shuffleStatus(maps, partitions));
  }

  /**
   * To be called in the scheduler's thread, before it submits the tasks of a stage that writes or
   * reads the shuffle. A status of the scheduler's own has no output then.
   */
  public void beforeStage() {
    Option<ShuffleStatus> status = tracker.shuffleStatuses().get(shuffleId);
    if (status.isDefined() && !(status.get() instanceof SluiceShuffleStatus)) {
      begin();
    }
  }

  /** The newest assignment; null if Spark has removed the shuffle. */
  public ShuffleAssignment newest() {
    return assignments.newest(shuffleId);
  }
}
