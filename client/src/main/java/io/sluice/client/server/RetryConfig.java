package io.sluice.client.server;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Retry settings that pushes and reads share.
 *
 * @param maxDelayMs maximum delay between two attempts
 * @param unreachableMs retry period of a server that cannot be reached
 */
public record RetryConfig(long maxDelayMs, long unreachableMs) {
  static final ConfigKey<Long> RETRY_INTERVAL_MAX =
      ConfigKey.durationMs("rss.client.retry.interval.max")
          .deprecatedName("rss.client.retry.interval.max.ms")
          .defaultValue(10_000L)
          .atLeast(1L)
          .atMost(600_000L)
          .doc(
              "Maximum delay between two attempts to send a request to a server. The first delay"
                  + " of a push is 50 ms, that of a read 250 ms, and each further delay is twice"
                  + " as long. Lower it in tests that restart servers.")
          .build();

  static final ConfigKey<Long> UNREACHABLE_TIMEOUT =
      ConfigKey.durationMs("rss.client.server.unreachable.timeout")
          .defaultValue(60_000L)
          .atLeast(1L)
          .doc(
              "Time for which a task tries to reach a server that is unreachable or stopping,"
                  + " before it fails over. A tenth of it is for a server that has no space. Set it"
                  + " to at least the restart time of your servers: then a clean restart fails no"
                  + " task.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(RETRY_INTERVAL_MAX, UNREACHABLE_TIMEOUT);

  public static RetryConfig from(ConfigSet set) {
    return new RetryConfig(set.get(RETRY_INTERVAL_MAX), set.get(UNREACHABLE_TIMEOUT));
  }

  /**
   * Returns a policy with these settings whose first delay is at most {@code firstDelayMs}.
   *
   * @param retryPeriodMs time from the first failure until the server is given up
   */
  public RetryPolicy policy(int maxAttempts, long firstDelayMs, long retryPeriodMs) {
    return new RetryPolicy(
        maxAttempts, Math.min(firstDelayMs, maxDelayMs), maxDelayMs, retryPeriodMs);
  }
}
