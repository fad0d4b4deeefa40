package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * What an engine's map side keeps before it hands contents over.
 *
 * @param contentBytes bytes of one content, unless a record is larger
 * @param spillBytes records held by a task before they are handed over
 */
public record WriterConfig(int contentBytes, long spillBytes) {
  /** Larger contents compress no better and leave the processor's cache. */
  private static final long USEFUL_CONTENT_BYTES = 1L << 20;

  static final ConfigKey<Long> SPILL =
      ConfigKey.dataSize("rss.writer.buffer.spill.size")
          .defaultValue(128L << 20)
          .atLeast(64L << 10)
          .doc(
              "Serialized records that one map task buffers before it pushes them. With few"
                  + " partitions less is used; with many, up to four times as much, so that each block"
                  + " has 16 KiB. Raise it for shuffles with thousands of partitions, if executors have"
                  + " memory left.")
          .build();

  static final ConfigKey<Long> CONTENT =
      ConfigKey.dataSize("rss.writer.buffer.size")
          .defaultValue(512L << 10)
          .atLeast(64L)
          .atMost(1L << 30)
          .doc(
              "Uncompressed size of a block, unless one record is larger; beyond 1 MiB it counts"
                  + " as 1 MiB. Lower it if tasks with many partitions run short of memory.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SPILL, CONTENT);

  public WriterConfig {
    if (contentBytes < 1 || spillBytes < 1) {
      throw new IllegalArgumentException(
          "writer: expected sizes of at least 1 byte, found contentBytes="
              + contentBytes
              + " spillBytes="
              + spillBytes);
    }
  }

  public static WriterConfig from(ConfigSet set) {
    return new WriterConfig((int) Math.min(set.get(CONTENT), USEFUL_CONTENT_BYTES), set.get(SPILL));
  }
}
