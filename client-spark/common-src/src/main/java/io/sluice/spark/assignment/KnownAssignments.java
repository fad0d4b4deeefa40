package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The newest assignment that this process has seen of each shuffle whose assignment has changed:
 * tasks that carry an older one use it. Thread-safe.
 */
public final class KnownAssignments {
  private final ConcurrentMap<Integer, ShuffleAssignment> newest = new ConcurrentHashMap<>();

  /** The newer of the one that a task carries and the one that this process knows. */
  public ShuffleAssignment newest(ShuffleAssignment carried) {
    ShuffleAssignment known = newest.get(carried.shuffle().getShuffle());
    return known != null
            && known.shuffle().equals(carried.shuffle())
            && known.generation() > carried.generation()
        ? known
        : carried;
  }

  /** Keeps an assignment if it is the newest of its shuffle. */
  public void learn(ShuffleAssignment seen) {
    if (seen.generation() > 0) {
      newest.merge(
          seen.shuffle().getShuffle(),
          seen,
          (known, more) -> more.generation() > known.generation() ? more : known);
    }
  }

  /** Forgets a shuffle that is no longer used. */
  public void forget(int shuffle) {
    newest.remove(shuffle);
  }
}
