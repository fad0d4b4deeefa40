package io.sluice.client.coordinator;

/** What came of asking the coordinators for servers: an assignment, or a reason to do without. */
public sealed interface ShuffleRegistration {
  /** The shuffle has servers. */
  record Assigned(ShuffleAssignment assignment) implements ShuffleRegistration {}

  /**
   * The engine should use its own shuffle.
   *
   * @param message one line for the job's log
   */
  record Refused(Reason reason, String message) implements ShuffleRegistration {}

  /** Why there is no assignment. A closed set, so that an engine can warn once for each. */
  enum Reason {
    /** No coordinator is configured. */
    NOT_CONFIGURED,
    /** No coordinator answered within the patience. */
    NO_COORDINATOR,
    /** The coordinator has no server to give. */
    NO_SERVERS,
    /** The coordinator will not serve this application: permission or quota. */
    DENIED,
    /** This shuffle asks for more than Sluice can do, such as too many partitions. */
    UNSUPPORTED,
    /** The session has been closed. */
    CLOSED
  }
}
