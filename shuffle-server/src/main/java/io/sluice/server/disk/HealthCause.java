package io.sluice.server.disk;

/** Why a disk left {@link HealthState#HEALTHY}. */
public enum HealthCause {
  /** The disk is healthy. */
  NONE,
  WRITE_ERRORS,
  READ_ERRORS,
  CHECKSUM_ERRORS,
  /** Much slower than its own average and than its peers. */
  SLOW,
  /** A read, write or probe exceeded its timeout. */
  HUNG,
  READ_ONLY,
  PROBE_FAILED,
  /** The directory does not exist, or was replaced by another one. */
  VANISHED
}
