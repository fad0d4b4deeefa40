package io.sluice.server.disk;

/**
 * When a disk is written to.
 *
 * @param highPercent of its capacity in use: nothing more is written there
 * @param lowPercent of its capacity in use: it is written to again
 * @param failuresUntilBad failures in a row that mark it bad
 * @param retryMs after a failure, not used for this long
 * @param badRetryMs once bad, tried again after this long
 */
public record DiskLimits(
    double highPercent, double lowPercent, int failuresUntilBad, long retryMs, long badRetryMs) {
  public static final DiskLimits DEFAULT = new DiskLimits(95, 85, 3, 1_000, 30_000);

  public DiskLimits {
    if (lowPercent < 0 || lowPercent >= highPercent || highPercent > 100) {
      throw new IllegalArgumentException(
          "disk marks must be 0 <= low < high <= 100: low " + lowPercent + ", high " + highPercent);
    }
    if (failuresUntilBad < 1 || retryMs < 0 || badRetryMs < 0) {
      throw new IllegalArgumentException("disk retries must not be negative");
    }
  }
}
