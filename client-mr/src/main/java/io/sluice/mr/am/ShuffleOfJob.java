package io.sluice.mr.am;

import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.auth.ApplicationCredentials;
import java.util.Optional;

/** What the parts of an application master need to know of its job's shuffle. */
interface ShuffleOfJob {
  /** Empty while, and if, the job shuffles as Hadoop does. Any thread. */
  Optional<ShuffleAssignment> assignment();

  /** What tasks prove the job with; empty on a cluster that asks for nothing. Any thread. */
  default ApplicationCredentials credentials() {
    return new ApplicationCredentials();
  }

  /** What the operator wants jobs to be configured with. Any thread. */
  default ServedSettings served() {
    return ServedSettings.NONE;
  }

  /**
   * The assignment, if reducers may not have the newest generation of it. Every event that tells
   * them of outputs at servers asks for it, in the order in which they read events: dispatcher
   * only.
   */
  Optional<ShuffleAssignment> newsForReducers();

  /**
   * Lets another server stand in for one that a task has waited for in vain, in the background and
   * best effort.
   */
  void replace(String server);

  /**
   * Does so at once, if no other server stands in for it yet; waits for a coordinator, for a
   * bounded time. Any thread.
   *
   * @return the newest assignment, with a way round the server if there is one; empty while, and
   *     if, the job shuffles as Hadoop does
   */
  Optional<ShuffleAssignment> around(String server);
}
