package io.sluice.server.disk;

/**
 * When a disk is suspected, given up and taken back.
 *
 * @param writeFailuresUntilSuspect failed writes in a row
 * @param readErrorsUntilSuspect failed reads within {@code errorWindowMs} after which a probe must
 *     tell whether the disk is at fault
 * @param readErrorsUntilLost failed reads within {@code errorWindowMs} after which a disk that
 *     fails its probes is lost
 * @param checksumErrorsUntilSuspect damaged blocks or footers within {@code errorWindowMs}
 * @param errorWindowMs errors older than this are forgotten
 * @param slowFactor slow: this many times slower than it used to be, and than its peers are
 * @param slowLeastMs and slower than this for a probe, or for a MiB read or written
 * @param lostAfterMs a disk that could not be read for so long is lost
 * @param writeTimeoutMs a write of a run that takes longer is given up; its bytes go elsewhere
 */
public record HealthConfig(
    int writeFailuresUntilSuspect,
    int readErrorsUntilSuspect,
    int readErrorsUntilLost,
    int checksumErrorsUntilSuspect,
    long errorWindowMs,
    double slowFactor,
    long slowLeastMs,
    ProbeConfig probes,
    long lostAfterMs,
    long writeTimeoutMs) {
  public static final HealthConfig DEFAULT =
      new HealthConfig(
          3,
          3,
          20,
          3,
          60_000,
          10,
          1_000,
          new ProbeConfig(5_000, 2_000, 30_000, 3),
          180_000,
          60_000);

  public HealthConfig {
    if (writeFailuresUntilSuspect < 1
        || readErrorsUntilSuspect < 1
        || readErrorsUntilLost < readErrorsUntilSuspect
        || checksumErrorsUntilSuspect < 1
        || slowFactor <= 1) {
      throw new IllegalArgumentException(
          "health counts must be at least 1, errors until lost not fewer than until suspect, the"
              + " slow factor above 1");
    }
    if (errorWindowMs < 1 || slowLeastMs < 0 || lostAfterMs < 1 || writeTimeoutMs < 1) {
      throw new IllegalArgumentException("health times must be positive");
    }
  }

  /** With another number of failed writes in a row. */
  public HealthConfig withWriteFailuresUntilSuspect(int failures) {
    return new HealthConfig(
        failures,
        readErrorsUntilSuspect,
        readErrorsUntilLost,
        checksumErrorsUntilSuspect,
        errorWindowMs,
        slowFactor,
        slowLeastMs,
        probes,
        lostAfterMs,
        writeTimeoutMs);
  }
}
