package io.sluice.spark.assignment;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Newest assignment that this process knows of each shuffle whose assignment has changed. Tasks use
 * it if their shuffle handle carries an older one. Thread-safe.
 */
public final class KnownAssignments {
  private final ConcurrentMap<Integer, ShuffleAssignment> newest = new ConcurrentHashMap<>();

  /** Returns the newer of a task's assignment and the assignment that this process knows. */
  public ShuffleAssignment newest(ShuffleAssignment carried) {
    ShuffleAssignment known = newest.get(carried.shuffle().getShuffle());
    return known != null
            && known.shuffle().equals(carried.shuffle())
            && known.generation() > carried.generation()
        ? known
        : carried;
  }

  /** Stores an assignment if it is newer than the known one of its shuffle. */
  public void update(ShuffleAssignment seen) {
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
