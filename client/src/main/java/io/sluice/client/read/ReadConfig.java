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
 * @param orderedBytes maximum bytes of blocks that wait for their turn in a read in map order; 0:
 *     blocks are delivered as they arrive
 * @param retry retries at a server that cannot be reached or temporarily refuses requests
 * @param zone zone of this process, whose servers are read first; empty: not known
 */
public record ReadConfig(
    int sliceBytes,
    int slicesInFlight,
    int maxBatchBytes,
    long silenceTimeoutMs,
    long orderedBytes,
    RetryPolicy retry,
    String zone) {
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

  static final ConfigKey<Long> ORDERED =
      ConfigKey.dataSize("rss.read.ordered.size")
          .defaultText("memory of the slices without one: 12m")
          .atMost(1L << 30)
          .doc(
              "Maximum size of a reduce task's input up to which its records always arrive in the"
                  + " order of map indexes, so that repeated runs have the same results. Counted"
                  + " are compressed blocks, and 192 bytes for each of them. 0: records arrive in"
                  + " the order in which servers deliver them. By default it is"
                  + " rss.client.read.buffer.size times one less than"
                  + " rss.client.read.prefetch.capacity. A larger value adds direct memory; a read"
                  + " for which the process has none left gives up the order.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SLICE, PREFETCH, ORDERED, RPC_ATTEMPTS);

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
   * Settings of a process whose zone is not known. Blocks that wait for their turn need no more
   * memory than the slices.
   */
  public ReadConfig(
      int sliceBytes,
      int slicesInFlight,
      int maxBatchBytes,
      long silenceTimeoutMs,
      RetryPolicy retry) {
    this(
        sliceBytes,
        slicesInFlight,
        maxBatchBytes,
        silenceTimeoutMs,
        orderedBytes(sliceBytes, slicesInFlight),
        retry,
        "");
  }

  /** Returns a copy with other retries. */
  public ReadConfig with(RetryPolicy otherRetry) {
    return new ReadConfig(
        sliceBytes,
        slicesInFlight,
        maxBatchBytes,
        silenceTimeoutMs,
        orderedBytes,
        otherRetry,
        zone);
  }

  /** One slice can always be fetched; blocks that wait may use the memory of all others. */
  private static long orderedBytes(int sliceBytes, int slicesInFlight) {
    return (long) sliceBytes * (slicesInFlight - 1);
  }

  /**
   * @param requestMs timeout of one request with its connection
   * @param zone zone of this process; empty: not known
   */
  public static ReadConfig from(ConfigSet set, RetryConfig retry, long requestMs, String zone) {
    int sliceBytes = (int) Math.min(set.get(SLICE), MAX_USEFUL_SLICE_BYTES);
    return new ReadConfig(
        sliceBytes,
        set.get(PREFETCH),
        Integer.MAX_VALUE - 16,
        2 * requestMs,
        set.find(ORDERED).orElse(orderedBytes(sliceBytes, set.get(PREFETCH))),
        retry.policy(set.get(RPC_ATTEMPTS), FIRST_DELAY_MS, retry.unreachableMs()),
        zone);
  }
}
