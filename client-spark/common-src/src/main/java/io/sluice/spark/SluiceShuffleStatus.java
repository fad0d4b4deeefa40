package io.sluice.spark;

import org.apache.spark.ShuffleStatus;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;

/**
 * Driver: the map statuses of one Sluice shuffle in Spark's map output tracker. Spark derives
 * preferred locations and the outputs affected by a fetch failure from the location of a map
 * output. A placeholder needs other rules:
 *
 * <ul>
 *   <li>A placeholder is never a preferred location ({@link HostlessLocation}).
 *   <li>A fetch failure that names an executor, thrown by other code than Sluice's reader,
 *       unregisters the outputs that this executor wrote, as with the built-in shuffle.
 * </ul>
 *
 * <p>The method that adds an output differs between Spark versions, so subclasses are in {@link
 * io.sluice.spark.compat}. Thread-safe.
 */
public abstract class SluiceShuffleStatus extends ShuffleStatus {
  /** Executor named by the last fetch failure; null if its outputs stay registered. */
  private volatile String suspect;

  /**
   * @param maps the number of map tasks
   * @param partitions the number of partitions
   */
  protected SluiceShuffleStatus(int maps, int partitions) {
    super(maps, partitions);
  }

  /** Must be called with every output before it is added. */
  protected final void beforeAdding(MapStatus output) {
    output.updateLocation(MapLocation.stored(output.location()));
    suspect = null;
  }

  /**
   * Unregisters the output of one map task if a fetch failure names it. After a failure that names
   * an executor, Spark's scheduler then calls {@link #removeOutputsOnExecutor}, unless it already
   * did for the same cause.
   *
   * @param failed location named by the fetch failure; may be null
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

  /** After the loss of an executor, unregisters only the outputs that Spark has moved to it. */
  @Override
  public void removeOutputsOnExecutor(String executor) {
    boolean failed = executor.equals(suspect);
    suspect = null;
    removeOutputsByFilter(
        at -> (failed || !MapLocation.isPlaceholder(at)) && MapLocation.isOf(at, executor));
  }
}
