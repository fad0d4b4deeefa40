package io.sluice.coordinator.assign;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Which servers a shuffle may get.
 *
 * @param maxServersPerShuffle most servers that one shuffle is spread over; more servers mean more
 *     connections from each task, not more speed
 * @param maxStorageUsedShare share of a server's storage beyond which it is nearly full and takes
 *     no new shuffle, 0 exclusive to 1
 */
public record AssignmentConfig(
    HostRule hostRule, int maxServersPerShuffle, double maxStorageUsedShare) {
  static final ConfigKey<HostRule> HOST_RULE =
      ConfigKey.enumeration("rss.coordinator.assignment.host.strategy", HostRule.class)
          .defaultValue(HostRule.PREFER_DIFF)
          .reloadable()
          .doc(
              "Hosts of the replicas of a partition. `PREFER_DIFF`: distinct ones while there are"
                  + " enough. `MUST_DIFF`: distinct ones, or fewer replicas. `NONE`: any. Change it"
                  + " to `MUST_DIFF` if a second replica on one host is not worth its disk.")
          .build();

  /** Tools that size a cluster read its default. */
  public static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.coordinator.shuffle.nodes.max")
          .defaultValue(9)
          .atLeast(1)
          .atMost(10_000)
          .reloadable()
          .doc(
              "Maximum number of servers of one shuffle; a client may ask for fewer. Raise it in"
                  + " clusters with single jobs that nine servers are too slow for; each server"
                  + " costs each task one connection.")
          .build();

  static final ConfigKey<Double> STORAGE_USED_MAX =
      ConfigKey.percent("rss.coordinator.assignment.storage.used.max")
          .defaultValue(95.0)
          .check(percent -> percent > 0, "more than 0")
          .reloadable()
          .doc(
              "Share of a server's healthy disks (of its memory, if it has no disks) in use beyond"
                  + " which it gets no new shuffle. Lower it where jobs grow by more than 5 % of a"
                  + " server's disks after their start.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(HOST_RULE, NODES_MAX, STORAGE_USED_MAX);

  public AssignmentConfig {
    if (maxServersPerShuffle < 1) {
      throw new IllegalArgumentException(
          "servers of a shuffle: expected at least 1, found " + maxServersPerShuffle);
    }
    if (!(maxStorageUsedShare > 0 && maxStorageUsedShare <= 1)) {
      throw new IllegalArgumentException(
          "share of used storage: expected more than 0 and at most 1, found "
              + maxStorageUsedShare);
    }
  }

  public static AssignmentConfig from(ConfigSet set) {
    return new AssignmentConfig(
        set.get(HOST_RULE), set.get(NODES_MAX), set.get(STORAGE_USED_MAX) / 100);
  }
}
