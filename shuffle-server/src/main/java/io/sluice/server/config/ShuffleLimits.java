package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.StoreConfig;
import java.util.List;

/** The keys that bound what the server keeps of shuffles and partitions. */
public final class ShuffleLimits {
  static final ConfigKey<Integer> MAX_SHUFFLES =
      ConfigKey.integer("rss.server.shuffles.max")
          .defaultValue(StoreConfig.DEFAULT.maxShuffles())
          .atLeast(1)
          .doc(
              "Most shuffles at a time; pushes of a further one are refused with NO_SPACE, and clients"
                  + " take them to a further server or keep them in local output.")
          .build();

  static final ConfigKey<Integer> MAX_TOMBSTONES =
      ConfigKey.integer("rss.server.shuffles.forgotten.max")
          .defaultValue(StoreConfig.DEFAULT.maxTombstones())
          .atLeast(1)
          .doc(
              "Forgotten shuffles that are remembered as such, so that a late push is refused and a"
                  + " late reader is told why.")
          .build();

  static final ConfigKey<Long> HUGE_PARTITION =
      ConfigKey.dataSize("rss.server.huge.partition.threshold")
          .deprecatedName("rss.server.huge-partition.size.threshold")
          .defaultValue(LogConfig.DEFAULT.hugePartitionBytes())
          .atLeast(1L << 20)
          .doc(
              "A partition longer than this is huge: acknowledgements report it as full, so that"
                  + " clients go on at a further server, and what still comes for its shuffle goes"
                  + " straight to disk (rss.server.huge-partition.memory.limit.ratio).")
          .build();

  /** The keys of this class. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(MAX_SHUFFLES, MAX_TOMBSTONES, HUGE_PARTITION);

  private ShuffleLimits() {}

  /** The bounds of a store in a heap of that size. */
  public static StoreConfig from(ConfigSet set, long heapMaxBytes) {
    StoreConfig sized = StoreConfig.forHeap(heapMaxBytes);
    return new StoreConfig(
        set.get(MAX_SHUFFLES),
        set.get(MAX_TOMBSTONES),
        sized.maxBufferedExtents(),
        sized.maxPartitions(),
        sized.maxMetadataBytes(),
        new LogConfig(
            sized.log().markBytes(),
            set.get(HUGE_PARTITION),
            sized.log().maxAttempts(),
            sized.log().maxPartitions()));
  }
}
