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
 * Configuration of merges.
 *
 * @param policies policy for each kind of disk; no entry: no merges
 * @param memoryBytes memory of all merges together
 * @param maxOutputBytes maximum bytes of blocks in a merged run
 */
public record MergeConfig(
    Map<StorageKind, MergePolicy> policies, long memoryBytes, long maxOutputBytes) {
  /**
   * Heap per extent, measured: 138 bytes of its run's index, 20 of the log's plan, and at most 138
   * / 2 for its share of an extent of the output.
   */
  private static final int EXTENT_BYTES = 138 + 20 + 138 / 2;

  /** Minimum read size; smaller reads would be dominated by seeks. */
  private static final int MIN_WINDOW_BYTES = 256 << 10;

  private static final long DERIVED = -1;
  private static final long MAX_DEFAULT_BYTES = 64L << 20;
  private static final long MIN_MEMORY_BYTES = 4L << 20;

  /** Condition for a merge. */
  public enum PolicyKind {
    /** Runs are not merged. */
    OFF,
    /** A number of runs. */
    FAN_IN,
    /** Small extents. */
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
          .defaultValue(DERIVED)
          .alsoAllow(DERIVED, "free direct memory (-XX:MaxDirectMemorySize), at most 64MiB")
          .atLeast(MIN_MEMORY_BYTES)
          .doc(
              "Memory for all merges of run files together, divided evenly among the disks. Raise"
                  + " it if merges fall behind on servers with many disks, to 128MiB for each HDD.")
          .build();

  static final ConfigKey<Long> MAX_OUTPUT =
      ConfigKey.dataSize("rss.server.merge.max.output.size")
          .defaultValue(4L << 30)
          .atLeast(1L << 20)
          .doc(
              "Maximum size of a merged run file. Lower it if deleting a shuffle must free disk"
                  + " space sooner during merges.")
          .build();

  /** The keys that this record is made from. */
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
   * @param merges number of concurrent merges
   */
  int bufferBytes(int merges) {
    return (int) Math.min(Integer.MAX_VALUE, memoryBytes / merges / 4 * 3);
  }

  /** Bounds of one merge. */
  MergeBounds bounds(int merges) {
    return new MergeBounds(
        Math.max(2, bufferBytes(merges) / MIN_WINDOW_BYTES),
        maxOutputBytes,
        Math.max(2, memoryBytes / merges / 4 / EXTENT_BYTES));
  }

  /**
   * @param arenaBytes direct memory reserved for blocks
   * @throws ConfigException if the memory exceeds the JVM's direct memory
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
    if (asked == DERIVED) {
      return Math.max(MIN_MEMORY_BYTES, Math.min(MAX_DEFAULT_BYTES, left / 2));
    }
    if (asked > left) {
      throw new ConfigException(
          MEMORY.name()
              + ": "
              + MEMORY.print(asked)
              + " exceeds the JVM's direct memory that blocks leave free: "
              + new DataSize(left).toRoundedText()
              + "; lower it, or raise -XX:MaxDirectMemorySize");
    }
    return asked;
  }

  private static ConfigKey<PolicyKind> policy(String kind) {
    String key = "rss.server.merge." + kind;
    return ConfigKey.enumeration(key + ".policy", PolicyKind.class)
        .defaultValue(PolicyKind.BLOCK_SIZE)
        .doc(
            "Policy for merging neighboring run files on "
                + kind.toUpperCase(Locale.ROOT)
                + "s. BLOCK_SIZE: merge while the average bytes of one partition in a file are"
                + " below "
                + key
                + ".block.size; FAN_IN: merge every "
                + key
                + ".fan.in files; OFF: never. Change it if merges cost more than reads gain.")
        .build();
  }

  private static ConfigKey<Long> blockSize(String kind, long bytes, String occasion) {
    return ConfigKey.dataSize("rss.server.merge." + kind + ".block.size")
        .defaultValue(bytes)
        .atLeast(1L)
        .doc("Target of merges for the average bytes of one partition in a run file. " + occasion)
        .build();
  }

  private static ConfigKey<Integer> fanIn(String kind) {
    String key = "rss.server.merge." + kind;
    return ConfigKey.integer(key + ".fan.in")
        .defaultValue(40)
        .atLeast(2)
        .doc(
            "Number of run files merged into one with FAN_IN in "
                + key
                + ".policy. Lower it if readers open too many run files.")
        .build();
  }
}
