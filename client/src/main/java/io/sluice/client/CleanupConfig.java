package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * When a driver has shuffles deleted that no running job uses, or that their query does not read
 * again. Evaluated by the plugin of the engine, which knows the jobs.
 *
 * @param idleMs time after the end of its query, without a running job that uses it, after which a
 *     shuffle is idle; 0: never
 * @param collectBytes map output of idle shuffles for which the driver collects garbage
 * @param expireMs time after which an idle shuffle is deleted although it may be used again; 0:
 *     never
 * @param consumedMs time after which a shuffle is deleted that its query does not read again; 0:
 *     never
 */
public record CleanupConfig(long idleMs, long collectBytes, long expireMs, long consumedMs) {
  static final ConfigKey<Long> IDLE_TIME =
      ConfigKey.durationMs("rss.cleanup.idle.time")
          .defaultValue(60_000L)
          .atLeast(0L)
          .doc(
              "Time after the end of its query, without a running job that uses it, after which a"
                  + " shuffle is idle; 0 disables this. If idle shuffles have at least"
                  + " `rss.cleanup.idle.size` bytes, the driver collects garbage, so that Spark removes"
                  + " the shuffles to which no data frame, cached table or RDD refers.")
          .build();

  static final ConfigKey<Long> IDLE_SIZE =
      ConfigKey.dataSize("rss.cleanup.idle.size")
          .defaultValue(1L << 30)
          .atLeast(0L)
          .doc(
              "Map output of idle shuffles, in bytes, from which on the driver collects garbage."
                  + " Lower it if finished queries fill the servers; raise it if the driver pauses"
                  + " for too long.")
          .build();

  static final ConfigKey<Long> EXPIRE_TIME =
      ConfigKey.durationMs("rss.cleanup.expire.time")
          .defaultValue(0L)
          .atLeast(0L)
          .doc(
              "Time after the end of its query, without a running job that uses it, after which a"
                  + " shuffle is deleted also if a data frame still refers to it; 0: never. A later job runs its map"
                  + " tasks again. Set it to some hours for notebooks that keep data frames which"
                  + " are not used.")
          .build();

  static final ConfigKey<Long> CONSUMED_TIME =
      ConfigKey.durationMs("rss.cleanup.consumed.time")
          .defaultValue(TimeUnit.MINUTES.toMillis(10))
          .atLeast(0L)
          .doc(
              "Time after which a shuffle is deleted, also during its query, once the output of all"
                  + " stages that read it is complete; 0: never. For queries with adaptive"
                  + " execution. If that output is lost later, its map tasks and those of the"
                  + " deleted shuffle run again. Lower it if long queries fill the servers.")
          .build();

  static final List<ConfigKey<?>> KEYS = List.of(IDLE_TIME, IDLE_SIZE, EXPIRE_TIME, CONSUMED_TIME);

  public static CleanupConfig from(ConfigSet set) {
    return new CleanupConfig(
        set.get(IDLE_TIME), set.get(IDLE_SIZE), set.get(EXPIRE_TIME), set.get(CONSUMED_TIME));
  }

  /** Returns a copy that never collects garbage. */
  public CleanupConfig withoutCollections() {
    return new CleanupConfig(0, collectBytes, expireMs, consumedMs);
  }

  /** The shortest of the times, in ms; 0 if all are off. */
  public long shortestMs() {
    return LongStream.of(idleMs, expireMs, consumedMs).filter(time -> time > 0).min().orElse(0);
  }
}
