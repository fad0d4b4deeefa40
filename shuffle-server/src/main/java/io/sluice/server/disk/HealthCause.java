package io.sluice.server.disk;

/** Why a disk left {@link HealthState#HEALTHY}. */
public enum HealthCause {
  /** It has not. */
  NONE,
  WRITE_ERRORS,
  READ_ERRORS,
  CHECKSUM_ERRORS,
  /** Answers far later than it used to and than its peers do. */
  SLOW,
  /** A write or a probe has not come back in its time. */
  HUNG,
  READ_ONLY,
  PROBE_FAILED,
  /** The directory is gone, or another one is in its place. */
  VANISHED
}
