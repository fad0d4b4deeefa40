package io.sluice.coordinator.assign;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Limits and rules of the servers of a shuffle.
 *
 * @param maxServersPerShuffle maximum number of servers of one shuffle; each server costs each task
 *     one connection
 * @param maxStorageUsedShare used share of a server's storage from which it gets no new shuffles;
 *     above 0, at most 1
 */
public record AssignmentConfig(
    HostRule hostRule, int maxServersPerShuffle, double maxStorageUsedShare) {
  static final ConfigKey<HostRule> HOST_RULE =
      ConfigKey.enumeration("rss.coordinator.assignment.host.strategy", HostRule.class)
          .defaultValue(HostRule.PREFER_DIFF)
          .reloadable()
          .doc(
              "Rule for the hosts of the replicas of a partition. `PREFER_DIFF`: distinct hosts"
                  + " if there are enough; `MUST_DIFF`: distinct hosts, with fewer replicas if"
                  + " there are too few hosts; `NONE`: any hosts. Change it to `MUST_DIFF` if a"
                  + " second replica on one host is not worth its disk space.")
          .build();

  /** Also read by tools that size a cluster. */
  public static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.coordinator.shuffle.nodes.max")
          .defaultValue(9)
          .atLeast(1)
          .atMost(10_000)
          .reloadable()
          .doc(
              "Maximum number of servers of one shuffle; clients may request fewer. Raise it if"
                  + " nine servers are too slow for single jobs; each server costs each task one"
                  + " connection.")
          .build();

  static final ConfigKey<Double> STORAGE_USED_MAX =
      ConfigKey.percent("rss.coordinator.assignment.storage.used.max")
          .defaultValue(95.0)
          .check(percent -> percent > 0, "more than 0")
          .reloadable()
          .doc(
              "Maximum used share of a server's healthy disks (of its memory, if it has no"
                  + " disks); a server at or above it gets no new shuffles. Lower it if shuffles"
                  + " grow by more than 5 % of a server's disks after their assignment.")
          .build();

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS = List.of(HOST_RULE, NODES_MAX, STORAGE_USED_MAX);

  public AssignmentConfig {
    if (maxServersPerShuffle < 1) {
      throw new IllegalArgumentException(
          NODES_MAX.name() + ": expected at least 1, found " + maxServersPerShuffle);
    }
    if (!(maxStorageUsedShare > 0 && maxStorageUsedShare <= 1)) {
      throw new IllegalArgumentException(
          STORAGE_USED_MAX.name()
              + ": expected a share above 0 and at most 1, found "
              + maxStorageUsedShare);
    }
  }

  public static AssignmentConfig from(ConfigSet set) {
    return new AssignmentConfig(
        set.get(HOST_RULE), set.get(NODES_MAX), set.get(STORAGE_USED_MAX) / 100);
  }
}
