package io.sluice.server.disk;

/**
 * Intervals and timeout of disk probes.
 *
 * @param intervalMs time between probes of a healthy disk
 * @param retryMs time between probes of any other disk
 * @param timeoutMs timeout of a probe
 * @param successesToReturn consecutive successful probes until a disk is used again
 */
public record ProbeConfig(long intervalMs, long retryMs, long timeoutMs, int successesToReturn) {
  public ProbeConfig {
    if (intervalMs < 1 || retryMs < 1 || timeoutMs < 1 || successesToReturn < 1) {
      throw new IllegalArgumentException("times and counts of probes must be positive");
    }
  }
}
