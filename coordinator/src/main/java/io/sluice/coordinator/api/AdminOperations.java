package io.sluice.coordinator.api;

import java.util.concurrent.CompletionStage;

/**
 * What the REST API changes. Every act returns at once; its stage ends with what has been done, or
 * with an {@link ApiException}. Thread-safe.
 */
public interface AdminOperations {
  /** The servers that are taken out of assignment. */
  Resource exclusions();

  /**
   * Takes a server out of assignment.
   *
   * @param server its name, or a host for all servers of it
   */
  CompletionStage<Resource> exclude(String server);

  /** Gives it back. */
  CompletionStage<Resource> include(String server);

  /** Has a server serve what it holds, and end. */
  CompletionStage<Resource> decommission(String server, Resource.DecommissionOrder order);

  /** Has it stay. */
  CompletionStage<Resource> cancelDecommission(String server);

  /**
   * Sets limits of a user, in the place of those that were set before; they go before the rules.
   *
   * @param limits none: the rules hold again
   */
  CompletionStage<Resource> limit(String user, Resource.LimitsOrder limits);

  /** Forgets an application, as if its driver had ended it. */
  CompletionStage<Resource> deleteApplication(String application);

  /** Reads this coordinator's configuration again. */
  CompletionStage<Resource> reload();

  /** Has a server read its configuration again. */
  CompletionStage<Resource> reloadServer(String server);
}
