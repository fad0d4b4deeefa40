package io.sluice.server.memory;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.DataSize;
import java.util.List;

/**
 * Size of the arena and its watermarks.
 *
 * @param capacityBytes bytes of the arena; rounded down to whole slabs
 * @param slabBytes bytes of one slab, the unit of allocation and accounting; a power of two
 * @param highPercent high watermark: share of the capacity above which spilling starts
 * @param lowPercent low watermark: share of the capacity at which spilling stops
 */
public record MemoryConfig(long capacityBytes, int slabBytes, int highPercent, int lowPercent) {
  /** A typical body of 1 MiB wastes at most 6 % in its last slab. */
  private static final int DEFAULT_SLAB_BYTES = 64 << 10;

  private static final int DEFAULT_HIGH_PERCENT = 75;
  private static final int DEFAULT_LOW_PERCENT = 25;
  private static final long MIN_CAPACITY_BYTES = 16L << 20;
  private static final long BY_RATIO = -1;

  static final ConfigKey<Long> CAPACITY =
      ConfigKey.dataSize("rss.server.buffer.capacity")
          .defaultValue(BY_RATIO)
          .alsoAllow(BY_RATIO, "rss.server.buffer.capacity.ratio of the machine's memory")
          .atLeast(MIN_CAPACITY_BYTES)
          .doc(
              "Size of the off-heap memory for accepted blocks that are not yet"
                  + " written to disk; when it is full, the server stops reading its connections."
                  + " The server does not start if the size exceeds the machine's memory or"
                  + " -XX:MaxDirectMemorySize. Set it if other processes share the machine.")
          .build();

  static final ConfigKey<Double> CAPACITY_RATIO =
      ConfigKey.decimal("rss.server.buffer.capacity.ratio")
          .defaultValue(0.6)
          .atLeast(0.01)
          .atMost(0.95)
          .doc(
              "Share of the machine's memory for blocks if"
                  + " rss.server.buffer.capacity is -1, limited by -XX:MaxDirectMemorySize. Lower"
                  + " it if other processes share the machine.")
          .build();

  static final ConfigKey<Double> HIGH_WATERMARK =
      ConfigKey.percent("rss.server.memory.shuffle.highWaterMark.percentage")
          .defaultValue((double) DEFAULT_HIGH_PERCENT)
          .check(percent -> percent == Math.rint(percent), "a whole percent")
          .doc(
              "High watermark: percentage of rss.server.buffer.capacity in use at"
                  + " which spilling starts. Lower it if connections are paused"
                  + " before spilling catches up.")
          .build();

  static final ConfigKey<Double> LOW_WATERMARK =
      ConfigKey.percent("rss.server.memory.shuffle.lowWaterMark.percentage")
          .defaultValue((double) DEFAULT_LOW_PERCENT)
          .check(percent -> percent == Math.rint(percent), "a whole percent")
          .doc(
              "Low watermark: percentage of rss.server.buffer.capacity in use at"
                  + " which spilling stops. Raise it to serve more reads from memory.")
          .build();

  /** Configuration keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(CAPACITY, CAPACITY_RATIO, HIGH_WATERMARK, LOW_WATERMARK);

  public MemoryConfig {
    if (slabBytes < 1024 || Integer.bitCount(slabBytes) != 1) {
      throw new IllegalArgumentException(
          "slab size must be a power of two of at least 1024 bytes: " + slabBytes);
    }
    if (capacityBytes < slabBytes || capacityBytes / slabBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "memory capacity must be between one and 2^31-1 slabs of "
              + slabBytes
              + " bytes: "
              + capacityBytes);
    }
    if (lowPercent < 0 || lowPercent >= highPercent || highPercent > 100) {
      throw new IllegalArgumentException(
          "memory watermarks must be 0 <= low < high <= 100: low="
              + lowPercent
              + " high="
              + highPercent);
    }
  }

  public static MemoryConfig ofCapacity(long capacityBytes) {
    return new MemoryConfig(
        capacityBytes, DEFAULT_SLAB_BYTES, DEFAULT_HIGH_PERCENT, DEFAULT_LOW_PERCENT);
  }

  /** Adds the validation rules of the keys. */
  public static ConfigSchema.Builder rules(ConfigSchema.Builder schema) {
    return schema.less(LOW_WATERMARK, HIGH_WATERMARK);
  }

  /**
   * @throws ConfigException if the machine has less memory than configured
   */
  public static MemoryConfig from(ConfigSet set, MachineMemory machine) {
    return new MemoryConfig(
        capacity(set, machine),
        DEFAULT_SLAB_BYTES,
        set.get(HIGH_WATERMARK).intValue(),
        set.get(LOW_WATERMARK).intValue());
  }

  private static long capacity(ConfigSet set, MachineMemory machine) {
    long asked = set.get(CAPACITY);
    if (asked == BY_RATIO) {
      long share = (long) (machine.physicalBytes() * set.get(CAPACITY_RATIO));
      long capacity = Math.min(share, machine.arenaMaxBytes());
      if (capacity < MIN_CAPACITY_BYTES) {
        throw new ConfigException(
            CAPACITY_RATIO.name()
                + ": results in "
                + rounded(capacity)
                + " of memory for blocks, but at least "
                + rounded(MIN_CAPACITY_BYTES)
                + " are needed; raise the ratio or -XX:MaxDirectMemorySize");
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
              + "; set a smaller size, or -1 for a share of the machine's memory");
    }
    if (asked > machine.arenaMaxBytes()) {
      throw new ConfigException(
          CAPACITY.name()
              + ": "
              + CAPACITY.print(asked)
              + " exceeds the "
              + rounded(machine.arenaMaxBytes())
              + " for blocks in the JVM's direct memory of "
              + rounded(machine.directMaxBytes())
              + "; raise -XX:MaxDirectMemorySize, or set a smaller size");
    }
    return asked;
  }

  private static String rounded(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }

  int capacitySlabs() {
    return (int) (capacityBytes / slabBytes);
  }

  /** Number of slabs for {@code length} bytes. */
  int slabs(int length) {
    return (int) (((long) length + slabBytes - 1) / slabBytes);
  }
}
