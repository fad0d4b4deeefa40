package io.sluice.coordinator.quota;

/**
 * Why an application, or a shuffle of it, is told to do without.
 *
 * @param message one line for the job's log: who reached what, and what would be right
 */
public record Denial(Cause cause, String message) {

  /** Names are label values of a metric: they are only added. */
  public enum Cause {
    /** The user may not use the cluster. */
    ACCESS,
    /** The user has as many applications as allowed. */
    APPLICATIONS,
    USER_BYTES,
    USER_PARTITIONS,
    APPLICATION_BYTES,
    APPLICATION_PARTITIONS
  }
}
