package io.sluice.client.server;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How long and how often servers are tried again, as pushes and reads have it in common.
 *
 * @param maxDelayMs longest wait between two tries
 * @param unreachableMs time for a server that cannot be reached
 */
public record RetryConfig(long maxDelayMs, long unreachableMs) {
  static final ConfigKey<Long> RETRY_INTERVAL_MAX =
      ConfigKey.durationMs("rss.client.retry.interval.max")
          .deprecatedName("rss.client.retry.interval.max.ms")
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(600_000L)
          .doc(
              "Longest pause between two attempts; the first is 50 ms, and each doubles. Lower it"
                  + " in tests that restart servers.")
          .build();

  static final ConfigKey<Long> UNREACHABLE_PATIENCE =
      ConfigKey.durationMs("rss.client.server.unreachable.timeout")
          .defaultValue(60_000L)
          .atLeast(1L)
          .doc(
              "How long a task tries to reach a server that is unreachable or stopping before it"
                  + " fails over. Set it to the time in which your servers restart: then a clean"
                  + " restart fails no task.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(RETRY_INTERVAL_MAX, UNREACHABLE_PATIENCE);

  public static RetryConfig from(ConfigSet set) {
    return new RetryConfig(set.get(RETRY_INTERVAL_MAX), set.get(UNREACHABLE_PATIENCE));
  }

  /**
   * A policy whose first delay is at most {@code firstDelayMs}.
   *
   * @param retryPeriodMs from the first failure to giving up
   */
  public RetryPolicy policy(int maxAttempts, long firstDelayMs, long retryPeriodMs) {
    return new RetryPolicy(
        maxAttempts, Math.min(firstDelayMs, maxDelayMs), maxDelayMs, retryPeriodMs);
  }
}
