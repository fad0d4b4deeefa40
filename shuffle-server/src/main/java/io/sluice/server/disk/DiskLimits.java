package io.sluice.server.disk;

/**
 * Watermarks and retry times of the writes to a disk.
 *
 * @param highPercent used share of the capacity at which writing stops
 * @param lowPercent used share of the capacity below which writing resumes
 * @param failuresUntilBad number of consecutive failures after which the disk is bad
 * @param retryMs time without writes after a failure
 * @param badRetryMs time without writes after a failure of a bad disk
 */
public record DiskLimits(
    double highPercent, double lowPercent, int failuresUntilBad, long retryMs, long badRetryMs) {
  public static final DiskLimits DEFAULT = new DiskLimits(95, 85, 3, 1_000, 30_000);

  public DiskLimits {
    if (lowPercent < 0 || lowPercent >= highPercent || highPercent > 100) {
      throw new IllegalArgumentException(
          "disk watermarks must be 0 <= low < high <= 100: low "
              + lowPercent
              + ", high "
              + highPercent);
    }
    if (failuresUntilBad < 1 || retryMs < 0 || badRetryMs < 0) {
      throw new IllegalArgumentException(
          "failuresUntilBad must be at least 1, retry times must" + " not be negative");
    }
  }
}
