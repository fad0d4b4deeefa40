package io.sluice.mr.am;

import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.auth.ApplicationCredentials;
import java.util.Optional;

/** The job's assignment, credentials and settings, for the parts of an application master. */
interface JobAssignment {
  /** The newest assignment; empty if the job uses Hadoop's built-in shuffle. Any thread. */
  Optional<ShuffleAssignment> assignment();

  /**
   * The application's credentials for tasks; empty on a cluster without authentication. Any thread.
   */
  default ApplicationCredentials credentials() {
    return new ApplicationCredentials();
  }

  /** Client settings that the operator configured at the coordinator. Any thread. */
  default ServedSettings served() {
    return ServedSettings.NONE;
  }

  /**
   * The newest assignment if it has not been sent to reducers yet; counts as sent after the call.
   * Called for every completion event with output on servers, in event order. Dispatcher thread
   * only.
   */
  Optional<ShuffleAssignment> unreportedAssignment();

  /** The receipts of the job, which the lease renewal reports to operators. */
  JobReceipts receipts();

  /** What the tasks of the job report, which the lease renewal reports to operators. */
  JobTasks tasks();

  /** Reports map attempts whose records did not match their receipts to operators. */
  void reportWrongReceipts(int attempts);

  /** Requests a replacement for a failed server in the background, best effort. */
  void replace(String server);

  /**
   * Requests a replacement for a failed server, unless it has been replaced, and waits for the
   * coordinator for a bounded time. Any thread.
   *
   * @return the newest assignment, with the server replaced if another one is available; empty if
   *     the job uses Hadoop's built-in shuffle
   */
  Optional<ShuffleAssignment> replaceNow(String server);
}
