package io.sluice.client.server;

/**
 * Limits of the retries at one server: number of attempts, delays, and total time.
 *
 * @param maxAttempts maximum number of attempts, including the first
 * @param firstDelayMs delay before the second attempt; each later delay is twice as long
 * @param maxDelayMs maximum delay between two attempts
 * @param retryPeriodMs time from the first failure until the server is given up, even if attempts
 *     are left
 */
public record RetryPolicy(int maxAttempts, long firstDelayMs, long maxDelayMs, long retryPeriodMs) {
  public RetryPolicy {
    if (maxAttempts < 1 || firstDelayMs < 1 || maxDelayMs < firstDelayMs || retryPeriodMs < 1) {
      throw new IllegalArgumentException(
          "invalid retry policy: expected maxAttempts, firstDelayMs and retryPeriodMs of at least"
              + " 1, and maxDelayMs of at least firstDelayMs, found maxAttempts="
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
   * Returns the delay before attempt number {@code attempt + 1}, in milliseconds.
   *
   * @param attempt number of attempts so far, at least 1
   */
  public long delayMs(int attempt) {
    int doublings = Math.min(attempt - 1, 30);
    return Math.min(maxDelayMs, firstDelayMs << doublings);
  }

  /** Returns this policy with a retry period of at most {@code periodMs}, at least 1. */
  public RetryPolicy within(long periodMs) {
    return new RetryPolicy(
        maxAttempts, firstDelayMs, maxDelayMs, Math.min(retryPeriodMs, Math.max(1, periodMs)));
  }
}
