package io.sluice.coordinator.quota;

/**
 * Reason why an application or a shuffle is denied by access rules or quotas.
 *
 * @param message one line for the log of the job: the user or application, the limit, and what to
 *     do
 */
public record Denial(Cause cause, String message) {

  /** Cause of a denial. Names are label values of a metric: never rename or remove them. */
  public enum Cause {
    /** The access rules deny the user. */
    ACCESS,
    /** The user has reached the limit of applications. */
    APPLICATIONS,
    USER_BYTES,
    USER_PARTITIONS,
    APPLICATION_BYTES,
    APPLICATION_PARTITIONS
  }
}
