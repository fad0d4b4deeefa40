package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.CompletionStage;

/** Whom a read asks for servers that its shuffle has got since it began. Thread-safe. */
public interface NewestAssignments {
  /**
   * Asks. The answer comes within a bounded time, on any thread.
   *
   * @param known the newest assignment that the caller knows
   * @return the newest there is, which may be {@code known}; a failure counts as that
   */
  CompletionStage<ShuffleAssignment> newest(ShuffleAssignment known);
}
