package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Finds a further server for partitions whose server failed or is full. An engine's task asks its
 * driver, which alone changes assignments, so that every reader comes to know the change.
 * Thread-safe.
 */
public interface ReplacementServers {
  /** Why a server is to be passed by. */
  enum Cause {
    /** It takes nothing more from this process: all ranges that it has or had move on. */
    FAILED,
    /** Some partitions have grown too large there: only they move on. */
    FULL
  }

  /**
   * Asks. Never blocks; the answer comes within a bounded time, on any thread.
   *
   * @param known the assignment that the caller works with
   * @param server name of the server that failed or is full
   * @param partitions that are full, ascending; empty for {@link Cause#FAILED}
   * @return the newest assignment, which may be {@code known} itself, or one without a way round
   *     the server, when there is no further server; never fails
   */
  CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions);
}
