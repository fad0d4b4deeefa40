package io.sluice.server.config;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.DataSize;
import io.sluice.server.background.BlockSizePolicy;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.background.MergePolicy;
import io.sluice.server.background.MergeSettings;
import io.sluice.server.disk.StorageKind;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Configuration of merging run files. */
public final class MergeConfig {
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
      blockSize("hdd", 1L << 20, "A seek costs as much as reading about a mebibyte.");
  static final ConfigKey<Integer> HDD_FAN_IN = fanIn("hdd");
  static final ConfigKey<PolicyKind> SSD_POLICY = policy("ssd");
  static final ConfigKey<Long> SSD_BLOCK_SIZE =
      blockSize(
          "ssd", 16L << 10, "An SSD reads small pieces well, so that merging is rarely worth it.");
  static final ConfigKey<Integer> SSD_FAN_IN = fanIn("ssd");

  static final ConfigKey<Long> MEMORY =
      ConfigKey.dataSize("rss.server.merge.memory")
          .defaultValue(BY_MACHINE)
          .alsoAllow(BY_MACHINE, "as much as -XX:MaxDirectMemorySize leaves, up to 128MiB")
          .atLeast(LEAST_MEMORY_BYTES)
          .doc(
              "Memory for all merges of run files together, shared evenly by the disks that merge."
                  + " With little of it fewer runs are merged at a time.")
          .build();

  static final ConfigKey<Long> MAX_OUTPUT =
      ConfigKey.dataSize("rss.server.merge.max.output.size")
          .defaultValue(4L << 30)
          .atLeast(1L << 20)
          .doc("Most bytes of blocks in a merged run file.")
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

  private MergeConfig() {}

  /**
   * @param arenaBytes direct memory that is for blocks
   * @throws ConfigException the JVM does not have that much memory
   */
  public static MergeSettings from(ConfigSet set, MachineMemory machine, long arenaBytes) {
    Map<StorageKind, MergePolicy> policies = new EnumMap<>(StorageKind.class);
    put(policies, StorageKind.HDD, set, HDD_POLICY, HDD_BLOCK_SIZE, HDD_FAN_IN);
    put(policies, StorageKind.SSD, set, SSD_POLICY, SSD_BLOCK_SIZE, SSD_FAN_IN);
    return new MergeSettings(policies, memory(set, machine, arenaBytes), set.get(MAX_OUTPUT));
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
    return ConfigKey.enumeration("rss.server.merge." + kind + ".policy", PolicyKind.class)
        .defaultValue(PolicyKind.BLOCK_SIZE)
        .doc(
            "When neighbouring run files on "
                + kind.toUpperCase(Locale.ROOT)
                + "s are merged: while what they hold of a partition is smaller than .block.size on"
                + " average, or when .fan.in of them have piled up, or never.")
        .build();
  }

  private static ConfigKey<Long> blockSize(String kind, long bytes, String why) {
    return ConfigKey.dataSize("rss.server.merge." + kind + ".block.size")
        .defaultValue(bytes)
        .atLeast(1L)
        .doc("Average size of a partition's part of a run file that merging aims at. " + why)
        .build();
  }

  private static ConfigKey<Integer> fanIn(String kind) {
    return ConfigKey.integer("rss.server.merge." + kind + ".fan.in")
        .defaultValue(40)
        .atLeast(2)
        .doc("Run files that are merged into one under the policy FAN_IN.")
        .build();
  }
}
