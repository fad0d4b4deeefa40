package io.sluice.server.config;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.DataSize;
import io.sluice.server.background.SpillConfig;
import java.util.List;
import java.util.Optional;

/**
 * Memory for blocks that are accepted and not yet written.
 *
 * @param capacityBytes the whole arena
 * @param slabBytes what it is given out in
 * @param highPercent of the capacity in use: spilling begins
 * @param lowPercent of the capacity in use: spilling ends
 * @param hugeRatio most of the capacity that an application with a huge partition may hold
 */
public record BufferConfig(
    long capacityBytes, int slabBytes, int highPercent, int lowPercent, double hugeRatio) {
  private static final long LEAST_CAPACITY_BYTES = 16L << 20;
  private static final long BY_RATIO = -1;

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.buffer.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.buffer.capacity.ratio of the machine's memory")
          .atLeast(LEAST_CAPACITY_BYTES)
          .doc(
              "Off-heap memory for blocks that are accepted and not yet written; connections are not"
                  + " read while it is full. A size that the machine or the JVM"
                  + " (-XX:MaxDirectMemorySize) does not have refuses the start.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.buffer.capacity.ratio")
          .defaultValue(0.6)
          .atLeast(0.01)
          .atMost(0.95)
          .doc(
              "Share of the machine's memory to use when rss.server.buffer.capacity is -1, but never"
                  + " more than the JVM's direct memory allows.")
          .build();

  static final ConfigKey<Long> SLAB_SIZE =
      ConfigKey.dataSize("rss.server.buffer.slab.size")
          .defaultValue(64L << 10)
          .atLeast(4L << 10)
          .atMost(1L << 20)
          .check(size -> Long.bitCount(size) == 1, "a power of two")
          .doc("Unit in which the memory is given out to pushed frames and counted.")
          .build();

  static final ConfigKey<Double> HIGH_WATERMARK =
      ConfigKey.percent("rss.server.memory.shuffle.highWaterMark.percentage")
          .defaultValue(75.0)
          .check(percent -> percent == Math.rint(percent), "a whole percent")
          .doc("Share of the memory in use at which spilling to disk begins.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.memory.shuffle.lowWaterMark.percentage")
          .defaultValue(25.0)
          .check(percent -> percent == Math.rint(percent), "a whole percent")
          .doc("Share of the memory in use at which spilling ends.")
          .build();

  static final ConfigKey<Double> HUGE_RATIO =
      ConfigKey.decimal("rss.server.huge-partition.memory.limit.ratio")
          .defaultValue(SpillConfig.DEFAULT_HUGE_MEMORY_RATIO)
          .atLeast(0.001)
          .atMost(1.0)
          .doc(
              "Most of the memory, as a share, that an application may hold while it has a huge"
                  + " partition: past it, its pushes wait for its own spills, and nobody else's do.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(CAPACITY, CAPACITY_RATIO, SLAB_SIZE, HIGH_WATERMARK, LOW_WATERMARK, HUGE_RATIO);

  /** The low mark lies below the high one. */
  public static Optional<String> checkWatermarks(ConfigSet set) {
    return Watermarks.check(set, LOW_WATERMARK, HIGH_WATERMARK);
  }

  /**
   * @throws ConfigException the machine does not have that much memory
   */
  public static BufferConfig from(ConfigSet set, MachineMemory machine) {
    return new BufferConfig(
        capacity(set, machine),
        Math.toIntExact(set.get(SLAB_SIZE)),
        set.get(HIGH_WATERMARK).intValue(),
        set.get(LOW_WATERMARK).intValue(),
        set.get(HUGE_RATIO));
  }

  private static long capacity(ConfigSet set, MachineMemory machine) {
    long asked = set.get(CAPACITY);
    if (asked == BY_RATIO) {
      long share = (long) (machine.physicalBytes() * set.get(CAPACITY_RATIO));
      long capacity = Math.min(share, machine.arenaMaxBytes());
      if (capacity < LEAST_CAPACITY_BYTES) {
        throw new ConfigException(
            CAPACITY_RATIO.name()
                + ": leaves "
                + rounded(capacity)
                + " of memory, at least "
                + rounded(LEAST_CAPACITY_BYTES)
                + " is needed; raise it or -XX:MaxDirectMemorySize");
      }
      return capacity;
    }
    if (asked > machine.physicalBytes()) {
      throw new ConfigException(
          CAPACITY.name()
              + ": "
              + CAPACITY.print(asked)
              + " is more than the machine's memory of "
              + rounded(machine.physicalBytes())
              + "; give less, or -1 for a share of it");
    }
    if (asked > machine.arenaMaxBytes()) {
      throw new ConfigException(
          CAPACITY.name()
              + ": "
              + CAPACITY.print(asked)
              + " does not fit the JVM's direct memory of "
              + rounded(machine.directMaxBytes())
              + ", of which "
              + rounded(machine.arenaMaxBytes())
              + " are for blocks; start with a larger -XX:MaxDirectMemorySize, or give less");
    }
    return asked;
  }

  private static String rounded(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }
}
