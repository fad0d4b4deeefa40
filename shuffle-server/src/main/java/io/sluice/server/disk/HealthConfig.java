package io.sluice.server.disk;

/**
 * Thresholds at which a disk becomes suspect, lost and healthy again.
 *
 * @param writeFailuresUntilSuspect number of consecutive failed writes
 * @param readErrorsUntilSuspect failed reads within {@code errorWindowMs} after which the disk is
 *     probed
 * @param readErrorsUntilLost failed reads within {@code errorWindowMs} after which a disk that
 *     fails its probes is lost; {@link #NEVER}: it is lost only after {@code lostAfterMs}
 * @param checksumErrorsUntilSuspect damaged blocks or footers within {@code errorWindowMs}
 * @param errorWindowMs errors older than this are ignored
 * @param slowFactor factor by which a slow disk exceeds its own average latency and that of its
 *     peers
 * @param slowThresholdMs minimum time of a probe, or of a MiB read or written, for a slow disk
 * @param lostAfterMs time without a successful read after which a disk is lost
 * @param writeTimeoutMs timeout of writing a run; after it, the blocks are written to another disk
 */
public record HealthConfig(
    int writeFailuresUntilSuspect,
    int readErrorsUntilSuspect,
    int readErrorsUntilLost,
    int checksumErrorsUntilSuspect,
    long errorWindowMs,
    double slowFactor,
    long slowThresholdMs,
    ProbeConfig probes,
    long lostAfterMs,
    long writeTimeoutMs) {
  /** Value of {@link #readErrorsUntilLost}: any number of failed reads alone loses no data. */
  public static final int NEVER = 0;

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
        || (readErrorsUntilLost != NEVER && readErrorsUntilLost < readErrorsUntilSuspect)
        || checksumErrorsUntilSuspect < 1
        || slowFactor <= 1) {
      throw new IllegalArgumentException(
          "health counts must be at least 1, readErrorsUntilLost at least readErrorsUntilSuspect,"
              + " slowFactor above 1");
    }
    if (errorWindowMs < 1 || slowThresholdMs < 0 || lostAfterMs < 1 || writeTimeoutMs < 1) {
      throw new IllegalArgumentException("health times must be positive");
    }
  }

  /** A copy with another number of consecutive failed writes. */
  public HealthConfig withWriteFailuresUntilSuspect(int failures) {
    return new HealthConfig(
        failures,
        readErrorsUntilSuspect,
        readErrorsUntilLost,
        checksumErrorsUntilSuspect,
        errorWindowMs,
        slowFactor,
        slowThresholdMs,
        probes,
        lostAfterMs,
        writeTimeoutMs);
  }
}
