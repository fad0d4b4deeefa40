package io.sluice.server.disk;

/**
 * When a disk is probed.
 *
 * @param intervalMs from one probe of a healthy disk to the next
 * @param retryMs from one probe of any other disk to the next
 * @param timeoutMs a probe that takes longer has failed
 * @param successesToReturn successful probes in a row until a disk is used again
 */
public record ProbeConfig(long intervalMs, long retryMs, long timeoutMs, int successesToReturn) {
  public ProbeConfig {
    if (intervalMs < 1 || retryMs < 1 || timeoutMs < 1 || successesToReturn < 1) {
      throw new IllegalArgumentException("times and counts of probes must be positive");
    }
  }
}
