package io.sluice.spark;

import org.apache.spark.ShuffleStatus;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/**
 * Driver: the map statuses of one shuffle that goes through Sluice, in Spark's map output tracker.
 * What Spark derives from the location of a built-in map output, its tasks' preferred locations and
 * the outputs that a fetch failure concerns, does not follow from a placeholder:
 *
 * <ul>
 *   <li>no preferred location comes from it ({@link HostlessLocation});
 *   <li>a fetch failure that names an executor, and was thrown by other code than Sluice's reader,
 *       makes Spark forget the outputs that this executor wrote, as with the built-in shuffle.
 * </ul>
 *
 * <p>The versions of Spark differ in the method that adds an output, so subclasses are in {@link
 * io.sluice.spark.compat}. Thread-safe.
 */
public abstract class SluiceShuffleStatus extends ShuffleStatus {
  /** The executor of the last fetch failure; null if its outputs need not be forgotten. */
  private volatile String suspect;

  /**
   * @param maps the number of map tasks
   * @param partitions the number of partitions
   */
  protected SluiceShuffleStatus(int maps, int partitions) {
    super(maps, partitions);
  }

  /** To be called with every output before it is added. */
  protected final void beforeAdding(MapStatus output) {
    output.updateLocation(MapLocation.stored(output.location()));
    suspect = null;
  }

  /**
   * Forgets the output of one map task if a fetch failure concerns it. After a failure that names
   * an executor, Spark's scheduler calls {@link #removeOutputsOnExecutor} next, unless it has done
   * so for the same cause.
   *
   * @param failed as the fetch failure names it; may be null
   */
  @Override
  public void removeMapOutput(int mapIndex, BlockManagerId failed) {
    if (failed == null) {
      return;
    }
    if (!MapLocation.isPlaceholder(failed)) {
      suspect = failed.executorId();
    }
    MapStatus output = withMapStatuses(all -> all[mapIndex]);
    if (output != null && MapLocation.isNamedBy(failed, output)) {
      super.removeMapOutput(mapIndex, output.location());
    }
  }

  /** After the loss of an executor, forgets only outputs that Spark has moved to it. */
  @Override
  public void removeOutputsOnExecutor(String executor) {
    boolean failed = executor.equals(suspect);
    suspect = null;
    removeOutputsByFilter(
        at -> (failed || !MapLocation.isPlaceholder(at)) && MapLocation.isOf(at, executor));
  }
}
