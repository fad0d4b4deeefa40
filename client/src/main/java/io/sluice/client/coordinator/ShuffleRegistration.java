package io.sluice.client.coordinator;

/** Result of the registration of a shuffle: an assignment, or the reason for a fallback. */
public sealed interface ShuffleRegistration {
  /** The shuffle has servers. */
  record Assigned(ShuffleAssignment assignment) implements ShuffleRegistration {}

  /**
   * The engine uses its built-in shuffle.
   *
   * @param message one line for the log of the job
   */
  record Refused(Reason reason, String message) implements ShuffleRegistration {}

  /** Why there is no assignment. An engine logs a warning once per reason. */
  enum Reason {
    /** No coordinator is configured. */
    NOT_CONFIGURED,
    /** No coordinator replied within the retry period. */
    NO_COORDINATOR,
    /** No server is available. */
    NO_SERVERS,
    /** The coordinator refuses this application: permission or quota. */
    DENIED,
    /** Sluice does not support this shuffle, for example because it has too many partitions. */
    UNSUPPORTED,
    /** The session has been closed. */
    CLOSED
  }
}
