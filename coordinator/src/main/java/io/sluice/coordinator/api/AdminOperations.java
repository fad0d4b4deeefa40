package io.sluice.coordinator.api;

import java.util.concurrent.CompletionStage;

/**
 * Mutations of the REST API. Every method returns at once; its stage completes with a description
 * of the change, or with an {@link ApiException}. Thread-safe.
 */
public interface AdminOperations {
  /** Returns the servers excluded from assignment. */
  Resource exclusions();

  /**
   * Excludes a server from assignment.
   *
   * @param server name of the server, or a host name for all servers on that host
   */
  CompletionStage<Resource> exclude(String server);

  /** Removes an exclusion. */
  CompletionStage<Resource> include(String server);

  /** Drains a server; it exits when its data is no longer needed or is moved to other servers. */
  CompletionStage<Resource> decommission(String server, Resource.DecommissionOrder order);

  /** Cancels a decommission; the server accepts assignments again. */
  CompletionStage<Resource> cancelDecommission(String server);

  /**
   * Replaces the limits of a user that were set through the API; they take precedence over the
   * quota file.
   *
   * @param limits empty: remove the limits, so that the quota file applies again
   */
  CompletionStage<Resource> limit(String user, Resource.LimitsOrder limits);

  /** Ends an application as if its driver had unregistered it; servers delete its data. */
  CompletionStage<Resource> deleteApplication(String application);

  /** Returns the revocations of tokens that are in force. */
  Resource revocations();

  /** Revokes all tokens that were issued to a user until now. */
  CompletionStage<Resource> revokeUser(String user);

  /** Revokes all tokens of an application that were issued until now, and deletes it. */
  CompletionStage<Resource> revokeApplication(String application);

  /** Reloads the configuration of this coordinator. */
  CompletionStage<Resource> reload();

  /** Makes a server reload its configuration. */
  CompletionStage<Resource> reloadServer(String server);
}
