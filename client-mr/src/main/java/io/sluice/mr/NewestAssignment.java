package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.atomic.AtomicReference;

/** The newest generation of the assignment that a reduce task has heard of. Thread-safe. */
public final class NewestAssignment {
  private final AtomicReference<ShuffleAssignment> newest;

  public NewestAssignment(ShuffleAssignment first) {
    newest = new AtomicReference<>(first);
  }

  public ShuffleAssignment get() {
    return newest.get();
  }

  public void learn(ShuffleAssignment heard) {
    newest.accumulateAndGet(
        heard, (known, other) -> other.generation() > known.generation() ? other : known);
  }
}
