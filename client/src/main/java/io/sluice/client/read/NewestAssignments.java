package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.concurrent.CompletionStage;

/**
 * Source of the newest assignment of a shuffle, with the servers that were added during a read.
 * Thread-safe.
 */
public interface NewestAssignments {
  /**
   * Requests the newest assignment. The stage completes within a bounded time, on any thread.
   *
   * @param known newest assignment of the caller
   * @return the newest assignment, possibly {@code known}; a failure has the same effect as {@code
   *     known}
   */
  CompletionStage<ShuffleAssignment> newest(ShuffleAssignment known);
}
