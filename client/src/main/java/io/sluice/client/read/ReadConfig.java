package io.sluice.client.read;

import io.sluice.client.server.RetryConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Settings of reads.
 *
 * @param sliceBytes maximum bytes of one slice; the limit of a server may be less
 * @param slicesInFlight maximum number of slices that are in flight or not fully parsed, of all
 *     servers together
 * @param maxBatchBytes maximum bytes of one batch, so that a damaged length cannot exhaust memory
 * @param silenceTimeoutMs maximum time without an event of any server; more than one request takes
 * @param retry retries at a server that cannot be reached or temporarily refuses requests
 */
public record ReadConfig(
    int sliceBytes,
    int slicesInFlight,
    int maxBatchBytes,
    long silenceTimeoutMs,
    RetryPolicy retry) {
  /** Larger slices use more memory and are not faster. */
  private static final long MAX_USEFUL_SLICE_BYTES = 16L << 20;

  private static final long FIRST_DELAY_MS = 250;

  static final ConfigKey<Long> SLICE =
      ConfigKey.dataSize("rss.client.read.buffer.size")
          .defaultValue(4L << 20)
          .atLeast(4L << 10)
          .atMost(1L << 30)
          .doc(
              "Maximum bytes of one slice, which a reduce task fetches with one request; a value"
                  + " above 16 MiB has the effect of 16 MiB. Lower it if reduce tasks run short"
                  + " of direct memory.")
          .build();

  static final ConfigKey<Integer> PREFETCH =
      ConfigKey.integer("rss.client.read.prefetch.capacity")
          .defaultValue(4)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Maximum number of slices that one read of a shuffle has in flight or in memory; a"
                  + " task that joins shuffles has two or more reads. Lower it if reduce tasks"
                  + " run short of direct memory.")
          .build();

  static final ConfigKey<Integer> RPC_ATTEMPTS =
      ConfigKey.integer("rss.client.rpc.maxAttempts")
          .defaultValue(20)
          .atLeast(1)
          .atMost(10_000)
          .doc(
              "Maximum number of attempts to send a read request to a server that is unreachable"
                  + " or replies with errors. A low value ends the attempts before"
                  + " rss.client.server.unreachable.timeout. Lower it to rerun map tasks of a"
                  + " lost server sooner.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SLICE, PREFETCH, RPC_ATTEMPTS);

  public ReadConfig {
    if (sliceBytes < 1024 || slicesInFlight < 1 || maxBatchBytes < 1) {
      throw new IllegalArgumentException(
          "invalid read settings: expected sliceBytes of at least 1024, slicesInFlight and"
              + " maxBatchBytes of at least 1, found sliceBytes="
              + sliceBytes
              + " slicesInFlight="
              + slicesInFlight
              + " maxBatchBytes="
              + maxBatchBytes);
    }
  }

  /**
   * @param requestMs timeout of one request with its connection
   */
  public static ReadConfig from(ConfigSet set, RetryConfig retry, long requestMs) {
    return new ReadConfig(
        (int) Math.min(set.get(SLICE), MAX_USEFUL_SLICE_BYTES),
        set.get(PREFETCH),
        Integer.MAX_VALUE - 16,
        2 * requestMs,
        retry.policy(set.get(RPC_ATTEMPTS), FIRST_DELAY_MS, retry.unreachableMs()));
  }
}
