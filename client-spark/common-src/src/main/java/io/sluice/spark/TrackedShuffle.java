package io.sluice.spark;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.spark.compat.SparkApis;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import scala.Option;

/**
 * Driver: ensures that Spark's map output tracker uses a {@link SluiceShuffleStatus} for one
 * shuffle. The scheduler registers a plain status for a shuffle that the tracker does not know, for
 * example after the shuffle was removed and is computed again.
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

  /** Registers the shuffle before the scheduler does. */
  public void begin() {
    tracker.shuffleStatuses().put(shuffleId, SparkApis.current().shuffleStatus(maps, partitions));
  }

  /**
   * Replaces a plain status by a {@link SluiceShuffleStatus}. Called in the scheduler's thread
   * before it submits the tasks of a stage that writes or reads the shuffle; a plain status has no
   * outputs at that time.
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
