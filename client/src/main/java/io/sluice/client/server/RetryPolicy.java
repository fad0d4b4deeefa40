package io.sluice.client.server;

/**
 * How often and how long something is tried again.
 *
 * @param maxAttempts tries in all, the first included
 * @param firstDelayMs wait before the second try; it doubles from try to try
 * @param maxDelayMs longest wait between two tries
 * @param retryPeriodMs from the first failure to giving up, whatever the number of tries
 */
public record RetryPolicy(int maxAttempts, long firstDelayMs, long maxDelayMs, long retryPeriodMs) {
  public RetryPolicy {
    if (maxAttempts < 1 || firstDelayMs < 1 || maxDelayMs < firstDelayMs || retryPeriodMs < 1) {
      throw new IllegalArgumentException(
          "retry: expected at least one try and waits of at least 1 ms, found maxAttempts="
              + maxAttempts
              + " firstDelayMs="
              + firstDelayMs
              + " maxDelayMs="
              + maxDelayMs
              + " retryPeriodMs="
              + retryPeriodMs);
    }
  }

  /**
   * Wait before try number {@code attempt + 1}, in milliseconds.
   *
   * @param attempt tries so far, at least 1
   */
  public long delayMs(int attempt) {
    int doublings = Math.min(attempt - 1, 30);
    return Math.min(maxDelayMs, firstDelayMs << doublings);
  }
}
