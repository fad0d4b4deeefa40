package io.sluice.client.local;

import io.sluice.client.push.PushConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How finished outputs are pushed behind their tasks.
 *
 * @param push with short patience: what fails is read from the file
 * @param threads that push, for the whole process
 * @param maxWaiting outputs that wait for a thread; what comes then is not pushed
 * @param skipPartitionBytes larger partitions of one output are not pushed
 */
public record BackgroundConfig(
    PushConfig push, int threads, int maxWaiting, long skipPartitionBytes) {
  /** One reads its file while the other waits for a server; sending is the event loops' work. */
  private static final int PUSH_THREADS = 2;

  /** Each takes a few hundred bytes; more than an executor makes while two threads lag behind. */
  private static final int MAX_WAITING_OUTPUTS = 10_000;

  /** A lost connection is made again; a server that restarts is not waited for. */
  private static final long UNREACHABLE_MS = 2_000;

  /** A server that spills accepts pushes again within seconds. */
  private static final long BUSY_MS = 30_000;

  static final ConfigKey<Long> PUSH_PARTITION_MAX =
      ConfigKey.dataSize("rss.merge.push.partition.max")
          .defaultValue(64L << 20)
          .atLeast(1L)
          .doc(
              "Bytes of one map task and partition beyond which they are not pushed, because"
                  + " local output is read in large pieces as well; only with `ALWAYS` in"
                  + " rss.local.output. Raise it if executors are released before the reduce tasks"
                  + " read.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(PUSH_PARTITION_MAX);

  public BackgroundConfig {
    if (threads < 1 || maxWaiting < 1 || skipPartitionBytes < 1) {
      throw new IllegalArgumentException(
          "background push: expected numbers from 1, found threads="
              + threads
              + " maxWaiting="
              + maxWaiting
              + " skipPartitionBytes="
              + skipPartitionBytes);
    }
  }

  /**
   * @param push of map tasks; background pushes give up sooner, because nothing waits for them and
   *     nothing is lost without them
   */
  public static BackgroundConfig from(ConfigSet set, PushConfig push) {
    PushConfig sooner =
        new PushConfig(
            push.frameBytes(),
            push.inFlightBytes(),
            1,
            push.codec(),
            push.zstdLevel(),
            shorter(push.connectionRetry(), UNREACHABLE_MS),
            shorter(push.busyRetry(), BUSY_MS));
    return new BackgroundConfig(
        sooner, PUSH_THREADS, MAX_WAITING_OUTPUTS, set.get(PUSH_PARTITION_MAX));
  }

  private static RetryPolicy shorter(RetryPolicy policy, long retryPeriodMs) {
    return new RetryPolicy(
        policy.maxAttempts(),
        policy.firstDelayMs(),
        policy.maxDelayMs(),
        Math.min(policy.retryPeriodMs(), retryPeriodMs));
  }
}
