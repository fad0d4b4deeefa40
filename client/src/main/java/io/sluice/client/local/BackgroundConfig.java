package io.sluice.client.local;

import io.sluice.client.push.PushConfig;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Settings of the background push of finished local outputs.
 *
 * @param push settings with short retry periods, because readers get failed blocks from the file
 * @param threads number of push threads of the process
 * @param maxQueued maximum number of outputs that wait for a thread; further ones are not pushed
 * @param maxPartitionBytes maximum bytes of a pushed partition of one output; larger ones are not
 *     pushed
 */
public record BackgroundConfig(
    PushConfig push, int threads, int maxQueued, long maxPartitionBytes) {
  /** Two: one reads its file while the other waits for a server. The event loops send the data. */
  private static final int PUSH_THREADS = 2;

  /** A few hundred bytes each; more than an executor produces while two threads are behind. */
  private static final int MAX_QUEUED_OUTPUTS = 10_000;

  /** Long enough to reconnect, too short to wait for a server restart. */
  private static final long UNREACHABLE_MS = 2_000;

  /** A server that spills accepts pushes again within seconds. */
  private static final long BUSY_MS = 30_000;

  static final ConfigKey<Long> PUSH_PARTITION_MAX =
      ConfigKey.dataSize("rss.merge.push.partition.max")
          .defaultValue(64L << 20)
          .atLeast(1L)
          .doc(
              "Maximum bytes of one map task and partition that the background push sends to"
                  + " servers; larger ones are read from local output, which is as efficient. It"
                  + " applies with rss.local.output=`ALWAYS`. Raise it if executors are released"
                  + " before the reduce tasks read.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(PUSH_PARTITION_MAX);

  public BackgroundConfig {
    if (threads < 1 || maxQueued < 1 || maxPartitionBytes < 1) {
      throw new IllegalArgumentException(
          "invalid settings of the background push: expected numbers of at least 1, found threads="
              + threads
              + " maxQueued="
              + maxQueued
              + " maxPartitionBytes="
              + maxPartitionBytes);
    }
  }

  /**
   * @param push settings of map tasks; the background push has shorter retry periods, because no
   *     data is lost without it
   */
  public static BackgroundConfig from(ConfigSet set, PushConfig push) {
    PushConfig sooner =
        new PushConfig(
            push.frameBytes(),
            push.inFlightBytes(),
            1,
            push.codec(),
            push.zstdLevel(),
            push.connectionRetry().within(UNREACHABLE_MS),
            push.busyRetry().within(BUSY_MS));
    return new BackgroundConfig(
        sooner, PUSH_THREADS, MAX_QUEUED_OUTPUTS, set.get(PUSH_PARTITION_MAX));
  }
}
