package io.sluice.coordinator.quota;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Access rules and quotas. Each file is optional.
 *
 * @param access file of access rules
 * @param groups file of groups
 * @param quotas file of quotas
 * @param defaults limits that apply where the quota file has none
 */
public record QuotaConfig(
    Optional<Path> access, Optional<Path> groups, Optional<Path> quotas, Limits defaults) {
  private static final String BEYOND =
      " Beyond it, new shuffles use the built-in shuffle, and running shuffles write to local"
          + " output.";

  static final ConfigKey<Integer> USER_APPLICATIONS =
      ConfigKey.integer("rss.coordinator.quota.default.app.num")
          .defaultValue(-1)
          .atLeast(0)
          .alsoAllow(-1, "no limit")
          .reloadable()
          .doc(
              "Maximum number of live applications of one user; applications beyond it use the"
                  + " built-in shuffle. Set it if a user could submit applications in a loop and"
                  + " fill the cluster.")
          .build();
  static final ConfigKey<Long> USER_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.bytes"))
          .doc(
              "Maximum number of bytes that servers store for all applications of one user."
                  + BEYOND
                  + " Set it if users share the disks.")
          .build();
  static final ConfigKey<Long> USER_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.partitions"))
          .doc(
              "Maximum number of partitions, replicas counted, that servers store for all"
                  + " applications of one user. A shuffle that would exceed it uses the built-in"
                  + " shuffle. Set it if small partitions fill the heap of servers.")
          .build();
  static final ConfigKey<Long> APPLICATION_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.app.bytes"))
          .doc(
              "Maximum number of bytes that servers store for one application."
                  + BEYOND
                  + " Set it so that a runaway job cannot fill the cluster.")
          .build();
  static final ConfigKey<Long> APPLICATION_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.app.partitions"))
          .doc(
              "Maximum number of partitions, replicas counted, that servers store for one"
                  + " application. A shuffle that would exceed it uses the built-in shuffle. Set"
                  + " it if single jobs have hundreds of thousands of partitions.")
          .build();
  static final ConfigKey<String> QUOTA_FILE =
      ConfigKey.localPath("rss.coordinator.quota.default.path")
          .doc(
              "File of quotas: lines `default LIMIT=…`,"
                  + " `group NAME LIMIT=…`, `user NAME LIMIT=…` or `USER=APPLICATIONS`, where"
                  + " LIMIT is"
                  + " `applications`, `bytes`, `partitions`, `application.bytes` or"
                  + " `application.partitions` (quotas.md). Set it if users or groups have"
                  + " different limits.")
          .build();
  static final ConfigKey<String> ACCESS_FILE =
      ConfigKey.localPath("rss.coordinator.access.candidates.path")
          .doc(
              "File of access rules: lines `allow user NAME`, `deny user NAME`, `allow group"
                  + " NAME`, `deny group NAME`, or the name of an allowed user. Denials take"
                  + " precedence; with any allow line, all other users are denied and use the"
                  + " built-in shuffle. Set it to limit Sluice to some users.")
          .build();
  static final ConfigKey<String> GROUPS_FILE =
      ConfigKey.localPath("rss.coordinator.access.groups.path")
          .doc(
              "File of user groups: lines `group: user, user`. Set it if"
                  + " rss.coordinator.access.candidates.path or"
                  + " rss.coordinator.quota.default.path names a group.")
          .build();

  /** Keys of the default limits, by the names of the limits in the quota file. */
  static final Map<String, ConfigKey<?>> LIMITS =
      Map.of(
          "applications",
          USER_APPLICATIONS,
          "bytes",
          USER_BYTES,
          "partitions",
          USER_PARTITIONS,
          "application.bytes",
          APPLICATION_BYTES,
          "application.partitions",
          APPLICATION_PARTITIONS);

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          USER_APPLICATIONS,
          USER_BYTES,
          USER_PARTITIONS,
          APPLICATION_BYTES,
          APPLICATION_PARTITIONS,
          QUOTA_FILE,
          ACCESS_FILE,
          GROUPS_FILE);

  public static QuotaConfig from(ConfigSet set) {
    return new QuotaConfig(
        set.findPath(ACCESS_FILE),
        set.findPath(GROUPS_FILE),
        set.findPath(QUOTA_FILE),
        new Limits(
            set.get(USER_APPLICATIONS),
            set.get(USER_BYTES),
            set.get(USER_PARTITIONS),
            set.get(APPLICATION_BYTES),
            set.get(APPLICATION_PARTITIONS)));
  }

  public boolean hasFiles() {
    return access.isPresent() || groups.isPresent() || quotas.isPresent();
  }

  private static ConfigKey.Builder<Long> limit(ConfigKey.Builder<Long> key) {
    return key.defaultValue(-1L).atLeast(0L).alsoAllow(-1L, "no limit").reloadable();
  }
}
