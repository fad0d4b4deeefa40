package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Buffers of the map side of an engine.
 *
 * @param blockBytes maximum uncompressed bytes of one block, unless a record is larger
 * @param spillBytes serialized records that a task buffers before it pushes them
 */
public record WriterConfig(int blockBytes, long spillBytes) {
  /** Larger blocks compress no better and exceed the processor's cache. */
  private static final long MAX_USEFUL_BLOCK_BYTES = 1L << 20;

  static final ConfigKey<Long> SPILL =
      ConfigKey.dataSize("rss.writer.buffer.spill.size")
          .defaultValue(128L << 20)
          .atLeast(64L << 10)
          .doc(
              "Size of the serialized records that one map task buffers before it pushes them."
                  + " With few partitions less is used; with many, up to four times this size, so"
                  + " that each block has 16 KiB. Raise it for shuffles with thousands of"
                  + " partitions if executors have free memory.")
          .build();

  static final ConfigKey<Long> BLOCK =
      ConfigKey.dataSize("rss.writer.buffer.size")
          .defaultValue(512L << 10)
          .atLeast(64L)
          .atMost(1L << 30)
          .doc(
              "Maximum uncompressed size of a block, unless one record is larger; a value above 1"
                  + " MiB has the effect of 1 MiB. Lower it if tasks with many partitions run"
                  + " short of memory.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SPILL, BLOCK);

  public WriterConfig {
    if (blockBytes < 1 || spillBytes < 1) {
      throw new IllegalArgumentException(
          "invalid writer settings: expected sizes of at least 1 byte, found blockBytes="
              + blockBytes
              + " spillBytes="
              + spillBytes);
    }
  }

  public static WriterConfig from(ConfigSet set) {
    return new WriterConfig((int) Math.min(set.get(BLOCK), MAX_USEFUL_BLOCK_BYTES), set.get(SPILL));
  }
}
