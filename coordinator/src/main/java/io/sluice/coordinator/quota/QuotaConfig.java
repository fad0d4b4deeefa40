package io.sluice.coordinator.quota;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Who may use the cluster, and how much of it. Each file is optional.
 *
 * @param access who may use the cluster
 * @param groups who is in which group
 * @param quotas limits of users
 * @param defaults what holds where no file says anything
 */
public record QuotaConfig(
    Optional<Path> access, Optional<Path> groups, Optional<Path> quotas, Limits defaults) {
  private static final String BEYOND =
      " Beyond it, new shuffles use their engine's own, and running ones keep what they push in"
          + " local output.";

  static final ConfigKey<Integer> USER_APPLICATIONS =
      ConfigKey.integer("rss.coordinator.quota.default.app.num")
          .defaultValue(-1)
          .atLeast(0)
          .alsoAllow(-1, "no limit")
          .reloadable()
          .doc(
              "Maximum number of live applications of one user; further ones use their engine's own"
                  + " shuffle. Set it where a loop of submissions could take the whole cluster.")
          .build();
  static final ConfigKey<Long> USER_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.bytes"))
          .doc(
              "Maximum number of bytes on servers of all applications of one user."
                  + BEYOND
                  + " Set it where users share the disks.")
          .build();
  static final ConfigKey<Long> USER_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.partitions"))
          .doc(
              "Maximum number of partitions, replicas counted, of all applications of one user. A"
                  + " shuffle that would exceed it uses its engine's own. Set it where servers run"
                  + " out of heap for small partitions.")
          .build();
  static final ConfigKey<Long> APPLICATION_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.app.bytes"))
          .doc(
              "Maximum number of bytes on servers of one application."
                  + BEYOND
                  + " Set it so that no job that runs away fills the cluster.")
          .build();
  static final ConfigKey<Long> APPLICATION_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.app.partitions"))
          .doc(
              "Maximum number of partitions, replicas counted, of one application. A shuffle that"
                  + " would exceed it uses its engine's own. Set it where single jobs have hundreds"
                  + " of thousands of partitions.")
          .build();
  static final ConfigKey<String> QUOTA_FILE =
      ConfigKey.localPath("rss.coordinator.quota.default.path")
          .doc(
              "File of limits that differ from the defaults: lines `default LIMIT=…`,"
                  + " `group NAME LIMIT=…`, `user NAME LIMIT=…` or `USER=APPLICATIONS`, where LIMIT is"
                  + " `applications`, `bytes`, `partitions`, `application.bytes` or"
                  + " `application.partitions` (quotas.md). Set it if users have different limits.")
          .build();
  static final ConfigKey<String> ACCESS_FILE =
      ConfigKey.localPath("rss.coordinator.access.candidates.path")
          .doc(
              "File of who may use the cluster: lines `allow user NAME`, `deny user NAME`,"
                  + " `allow group NAME`, `deny group NAME`, or the name of a user who may. A denial"
                  + " wins; if any line allows, all others are denied, and use their engine's own"
                  + " shuffle. Set it while only some users try Sluice.")
          .build();
  static final ConfigKey<String> GROUPS_FILE =
      ConfigKey.localPath("rss.coordinator.access.groups.path")
          .doc(
              "File of groups for the files of access and quotas: lines `group: user, user`. Set it"
                  + " if one of these files names a group.")
          .build();

  /** The keys that this record is made from. */
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
