package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Requests replacement servers after a failure, and additional servers for full partitions. A task
 * asks its driver, which alone changes assignments, so that readers learn of the change.
 * Thread-safe.
 */
public interface ReplacementServers {
  /** Reason why a server gets no more frames of some or all partitions. */
  enum Cause {
    /** The server failed: all its ranges get a replacement server. */
    FAILED,
    /** Some partitions are too large for the server: only these get an additional server. */
    FULL
  }

  /**
   * Requests a server. Never blocks; the stage completes within a bounded time, on any thread.
   *
   * @param known assignment that the caller uses
   * @param server name of the server that failed or is full
   * @param partitions full partitions, ascending; empty for {@link Cause#FAILED}
   * @return the newest assignment; without a replacement if no server is available, and possibly
   *     {@code known} itself; never fails
   */
  CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions);
}
