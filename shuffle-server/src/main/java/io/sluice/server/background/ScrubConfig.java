package io.sluice.server.background;

/**
 * How much is verified, and how often.
 *
 * @param bytesPerSecond most that is read of one disk; 0: nothing is verified
 * @param intervalMs from one verification of a file to the next, and from its writing to the first
 */
public record ScrubConfig(long bytesPerSecond, long intervalMs) {
  /** At 8 MiB/s, 28 GiB an hour: a few percent of what a hard disk reads. */
  public static final ScrubConfig DEFAULT = new ScrubConfig(8L << 20, 3_600_000);

  public ScrubConfig {
    if (bytesPerSecond < 0 || intervalMs < 1) {
      throw new IllegalArgumentException(
          "scrub bandwidth must not be negative, its interval at least 1 ms: "
              + bytesPerSecond
              + ", "
              + intervalMs);
    }
  }

  public boolean isOn() {
    return bytesPerSecond > 0;
  }
}
