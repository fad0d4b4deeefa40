package io.sluice.server.background;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.DataSize;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.memory.MachineMemory;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How to merge.
 *
 * @param policies by the kind of disk; none where nothing is merged
 * @param memoryBytes for all merges together
 * @param maxOutputBytes most bytes of blocks in a merged run
 */
public record MergeConfig(
    Map<StorageKind, MergePolicy> policies, long memoryBytes, long maxOutputBytes) {
  /**
   * Heap for an extent, measured: 138 bytes of its run's index, 20 of the log's plan, and at most
   * half of the first for its share of an extent of the output.
   */
  private static final int EXTENT_BYTES = 138 + 20 + 138 / 2;

  /** Smaller reads would be seeks again. */
  private static final int LEAST_WINDOW_BYTES = 256 << 10;

  private static final long BY_MACHINE = -1;
  private static final long MOST_DEFAULT_BYTES = 128L << 20;
  private static final long LEAST_MEMORY_BYTES = 4L << 20;

  /** What makes runs worth merging. */
  public enum PolicyKind {
    /** Nothing does. */
    OFF,
    /** So many of them. */
    FAN_IN,
    /** Their small extents. */
    BLOCK_SIZE
  }

  static final ConfigKey<PolicyKind> HDD_POLICY = policy("hdd");
  static final ConfigKey<Long> HDD_BLOCK_SIZE =
      blockSize(
          "hdd", 1L << 20, "Raise it for disks that read more than a MiB in the time of a seek.");
  static final ConfigKey<Integer> HDD_FAN_IN = fanIn("hdd");
  static final ConfigKey<PolicyKind> SSD_POLICY = policy("ssd");
  static final ConfigKey<Long> SSD_BLOCK_SIZE =
      blockSize("ssd", 16L << 10, "Raise it for SSDs that read small pieces slowly.");
  static final ConfigKey<Integer> SSD_FAN_IN = fanIn("ssd");

  static final ConfigKey<Long> MEMORY =
      ConfigKey.dataSize("rss.server.merge.memory")
          .defaultValue(BY_MACHINE)
          .alsoAllow(BY_MACHINE, "as much as -XX:MaxDirectMemorySize leaves, up to 128MiB")
          .atLeast(LEAST_MEMORY_BYTES)
          .doc(
              "Memory for all merges of run files together, shared evenly by the disks. Raise it"
                  + " if merges fall behind on servers with many disks.")
          .build();

  static final ConfigKey<Long> MAX_OUTPUT =
      ConfigKey.dataSize("rss.server.merge.max.output.size")
          .defaultValue(4L << 30)
          .atLeast(1L << 20)
          .doc(
              "Maximum size of a merged run file. Lower it if the deletion of a shuffle should"
                  + " free disk space sooner during merges.")
          .build();

  /** The keys that the settings are made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          HDD_POLICY,
          HDD_BLOCK_SIZE,
          HDD_FAN_IN,
          SSD_POLICY,
          SSD_BLOCK_SIZE,
          SSD_FAN_IN,
          MEMORY,
          MAX_OUTPUT);

  public MergeConfig {
    policies = Map.copyOf(policies);
  }

  /**
   * Bytes of read buffers of one merge.
   *
   * @param merges how many run at a time
   */
  int bufferBytes(int merges) {
    return (int) Math.min(Integer.MAX_VALUE, memoryBytes / merges / 4 * 3);
  }

  /** What one merge may take if so many run at a time. */
  MergeBounds bounds(int merges) {
    return new MergeBounds(
        Math.max(2, bufferBytes(merges) / LEAST_WINDOW_BYTES),
        maxOutputBytes,
        Math.max(2, memoryBytes / merges / 4 / EXTENT_BYTES));
  }

  /**
   * @param arenaBytes direct memory that is for blocks
   * @throws ConfigException the JVM does not have that much memory
   */
  public static MergeConfig from(ConfigSet set, MachineMemory machine, long arenaBytes) {
    Map<StorageKind, MergePolicy> policies = new EnumMap<>(StorageKind.class);
    put(policies, StorageKind.HDD, set, HDD_POLICY, HDD_BLOCK_SIZE, HDD_FAN_IN);
    put(policies, StorageKind.SSD, set, SSD_POLICY, SSD_BLOCK_SIZE, SSD_FAN_IN);
    return new MergeConfig(policies, memory(set, machine, arenaBytes), set.get(MAX_OUTPUT));
  }

  private static void put(
      Map<StorageKind, MergePolicy> policies,
      StorageKind kind,
      ConfigSet set,
      ConfigKey<PolicyKind> policy,
      ConfigKey<Long> blockSize,
      ConfigKey<Integer> fanIn) {
    switch (set.get(policy)) {
      case OFF -> {}
      case FAN_IN -> policies.put(kind, new FanInPolicy(set.get(fanIn)));
      case BLOCK_SIZE -> policies.put(kind, new BlockSizePolicy(set.get(blockSize)));
    }
  }

  private static long memory(ConfigSet set, MachineMemory machine, long arenaBytes) {
    long asked = set.get(MEMORY);
    long left = machine.directMaxBytes() - arenaBytes;
    if (asked == BY_MACHINE) {
      return Math.max(LEAST_MEMORY_BYTES, Math.min(MOST_DEFAULT_BYTES, left / 2));
    }
    if (asked > left) {
      throw new ConfigException(
          MEMORY.name()
              + ": "
              + MEMORY.print(asked)
              + " does not fit the JVM's direct memory, of which the blocks leave "
              + new DataSize(left).toRoundedText()
              + "; give less, or start with a larger -XX:MaxDirectMemorySize");
    }
    return asked;
  }

  private static ConfigKey<PolicyKind> policy(String kind) {
    String key = "rss.server.merge." + kind;
    return ConfigKey.enumeration(key + ".policy", PolicyKind.class)
        .defaultValue(PolicyKind.BLOCK_SIZE)
        .doc(
            "When neighbouring run files on "
                + kind.toUpperCase(Locale.ROOT)
                + "s are merged. BLOCK_SIZE: while their average part of a partition is smaller than "
                + key
                + ".block.size. FAN_IN: when there are "
                + key
                + ".fan.in of them. OFF: never. Change it if merges cost more than reads gain.")
        .build();
  }

  private static ConfigKey<Long> blockSize(String kind, long bytes, String occasion) {
    return ConfigKey.dataSize("rss.server.merge." + kind + ".block.size")
        .defaultValue(bytes)
        .atLeast(1L)
        .doc("Average size of a partition's part of a run file that merges aim at. " + occasion)
        .build();
  }

  private static ConfigKey<Integer> fanIn(String kind) {
    String key = "rss.server.merge." + kind;
    return ConfigKey.integer(key + ".fan.in")
        .defaultValue(40)
        .atLeast(2)
        .doc(
            "Number of run files that are merged into one with FAN_IN in "
                + key
                + ".policy. Lower it if readers open too many run files.")
        .build();
  }
}
