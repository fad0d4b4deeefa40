package org.apache.spark.shuffle;

import io.sluice.client.coordinator.ShuffleAssignment;
import org.apache.spark.ShuffleDependency;

/** A shuffle that goes through Sluice; it carries its assignment to every task. Immutable. */
public final class RssShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1L;

  private final ShuffleAssignment assignment;

  public RssShuffleHandle(
      int shuffleId, ShuffleDependency<K, V, C> dependency, ShuffleAssignment assignment) {
    super(shuffleId, dependency);
    this.assignment = assignment;
  }

  public ShuffleAssignment assignment() {
    return assignment;
  }
}
