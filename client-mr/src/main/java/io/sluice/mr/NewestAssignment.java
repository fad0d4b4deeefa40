package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.atomic.AtomicReference;

/** Newest assignment that a reduce task knows. Thread-safe. */
public final class NewestAssignment {
  private final AtomicReference<ShuffleAssignment> newest;

  public NewestAssignment(ShuffleAssignment first) {
    newest = new AtomicReference<>(first);
  }

  public ShuffleAssignment get() {
    return newest.get();
  }

  /** Stores an assignment if it is newer than the known one. */
  public void update(ShuffleAssignment received) {
    newest.accumulateAndGet(
        received, (known, other) -> other.generation() > known.generation() ? other : known);
  }
}
