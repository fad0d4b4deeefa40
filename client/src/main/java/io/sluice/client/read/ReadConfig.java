package io.sluice.client.read;

import io.sluice.client.server.RetryConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How partitions are read.
 *
 * @param sliceBytes most bytes of one Fetch; a server's own limit may be less
 * @param slicesInFlight slices asked for or held, of all servers together
 * @param maxContentBytes most bytes of one content, so that a damaged length cannot fill memory
 * @param silenceMs longest wait for any server to say anything; more than one request may take
 * @param retry for a server that cannot be reached, or answers that it cannot now
 */
public record ReadConfig(
    int sliceBytes, int slicesInFlight, int maxContentBytes, long silenceMs, RetryPolicy retry) {
  /** Slices beyond this only hold memory. */
  private static final long USEFUL_SLICE_BYTES = 16L << 20;

  private static final long FIRST_DELAY_MS = 250;

  static final ConfigKey<Long> SLICE =
      ConfigKey.dataSize("rss.client.read.buffer.size")
          .defaultValue(4L << 20)
          .atLeast(4L << 10)
          .atMost(1L << 30)
          .doc(
              "Maximum bytes requested in one read; beyond 16 MiB it counts as 16 MiB. Lower it"
                  + " if reduce tasks run short of direct memory.")
          .build();

  static final ConfigKey<Integer> PREFETCH =
      ConfigKey.integer("rss.client.read.prefetch.capacity")
          .defaultValue(4)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Maximum number of slices that one read of a shuffle has requested or holds; a task"
                  + " that joins has two or more reads. Lower it if reduce tasks run short of direct"
                  + " memory.")
          .build();

  static final ConfigKey<Integer> RPC_ATTEMPTS =
      ConfigKey.integer("rss.client.rpc.maxAttempts")
          .defaultValue(20)
          .atLeast(1)
          .atMost(10_000)
          .doc(
              "How often a read is sent to a server that is unreachable or answers with errors;"
                  + " with few attempts it ends before rss.client.server.unreachable.timeout. Lower it"
                  + " if map tasks should be rerun sooner.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SLICE, PREFETCH, RPC_ATTEMPTS);

  public ReadConfig {
    if (sliceBytes < 1024 || slicesInFlight < 1 || maxContentBytes < 1) {
      throw new IllegalArgumentException(
          "read: expected slices of at least 1024 bytes, one in flight, and contents of 1 byte,"
              + " found sliceBytes="
              + sliceBytes
              + " slicesInFlight="
              + slicesInFlight
              + " maxContentBytes="
              + maxContentBytes);
    }
  }

  /**
   * @param requestMs longest time that one request takes, with its connection
   */
  public static ReadConfig from(ConfigSet set, RetryConfig retry, long requestMs) {
    return new ReadConfig(
        (int) Math.min(set.get(SLICE), USEFUL_SLICE_BYTES),
        set.get(PREFETCH),
        Integer.MAX_VALUE - 16,
        2 * requestMs,
        retry.policy(set.get(RPC_ATTEMPTS), FIRST_DELAY_MS, retry.unreachableMs()));
  }
}
