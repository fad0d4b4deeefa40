package io.sluice.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.RuleFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Where the operator's rules are, and how often they are read.
 *
 * @param files who may use how much
 * @param filesReadIntervalMs how often those are read
 * @param clientConfFile settings for jobs, if there are any
 * @param clientConfReadIntervalMs how often that file is read
 */
record RulesConfig(
    RuleFiles.Config files,
    long filesReadIntervalMs,
    Optional<Path> clientConfFile,
    long clientConfReadIntervalMs) {

  static final ConfigKey<Integer> USER_QUOTA =
      ConfigKey.integer("rss.coordinator.quota.default.app.num")
          .defaultValue(-1)
          .atLeast(0)
          .alsoAllow(-1, "no limit")
          .reloadable()
          .doc(
              "Most live applications of one user. More are refused and use their engine's own shuffle.")
          .build();
  static final ConfigKey<Long> USER_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.bytes"))
          .doc(
              "Most bytes that servers hold for all applications of one user. Beyond, new shuffles use their engine's own, and what running ones push stays in local output.")
          .build();
  static final ConfigKey<Long> USER_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.partitions"))
          .doc(
              "Most partitions, copies counted, that servers hold for all applications of one user. A shuffle that would exceed it uses its engine's own.")
          .build();
  static final ConfigKey<Long> APPLICATION_BYTES =
      limit(ConfigKey.dataSize("rss.coordinator.quota.default.app.bytes"))
          .doc("As `rss.coordinator.quota.default.bytes`, for each application.")
          .build();
  static final ConfigKey<Long> APPLICATION_PARTITIONS =
      limit(ConfigKey.longNumber("rss.coordinator.quota.default.app.partitions"))
          .doc("As `rss.coordinator.quota.default.partitions`, for each application.")
          .build();
  static final ConfigKey<String> QUOTA_FILE =
      file("rss.coordinator.quota.default.path")
          .doc(
              "File of quotas that differ: lines `default LIMIT=…`, `group NAME LIMIT=…`, `user NAME LIMIT=…` or `USER=APPLICATIONS`, where LIMIT is"
                  + " `applications`, `bytes`, `partitions`, `application.bytes` or `application.partitions`. See operations.md.")
          .build();
  static final ConfigKey<String> ACCESS_FILE =
      file("rss.coordinator.access.candidates.path")
          .doc(
              "File of who may use the cluster: lines `allow user NAME`, `deny user NAME`, `allow group NAME`, `deny group NAME`, or the name of a user who may."
                  + " Who is denied may not; if any line allows, only those may. Others use their engine's own shuffle.")
          .build();
  static final ConfigKey<String> GROUPS_FILE =
      file("rss.coordinator.access.groups.path")
          .doc("File of groups that the other two name: lines `group: user, user`.")
          .build();
  static final ConfigKey<Long> RULES_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.quota.update.interval")
          .defaultValue(10_000L)
          .atLeast(10L)
          .doc(
              "How often the files of quotas, access and groups are read. One that has become wrong leaves what it said before.")
          .build();
  static final ConfigKey<Boolean> CLIENT_CONF_ENABLED =
      ConfigKey.bool("rss.coordinator.dynamicClientConf.enabled")
          .defaultValue(false)
          .doc("Give settings to the drivers that ask for them, which is before they register.")
          .build();
  static final ConfigKey<String> CLIENT_CONF_FILE =
      file("rss.coordinator.dynamicClientConf.path")
          .doc(
              "File of those settings: lines `KEY VALUE` for what holds unless the job says something else, `force KEY VALUE` for what holds whatever it says."
                  + " Keys are `spark.rss.…`, `mapreduce.rss.…`, or `rss.…` for both; none of `security` and `coordinator`.")
          .build();
  static final ConfigKey<Long> CLIENT_CONF_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.dynamicClientConf.updateIntervalSec", TimeUnit.SECONDS)
          .defaultValue(30_000L)
          .atLeast(10L)
          .doc("How often that file is read. One that has become wrong leaves what it said before.")
          .build();

  /** In the order of the documentation. */
  static final List<ConfigKey<?>> KEYS =
      List.of(
          USER_QUOTA,
          USER_BYTES,
          USER_PARTITIONS,
          APPLICATION_BYTES,
          APPLICATION_PARTITIONS,
          QUOTA_FILE,
          ACCESS_FILE,
          GROUPS_FILE,
          RULES_INTERVAL,
          CLIENT_CONF_ENABLED,
          CLIENT_CONF_FILE,
          CLIENT_CONF_INTERVAL);

  /**
   * @throws IllegalArgumentException one line, if keys do not go together
   */
  static RulesConfig from(ConfigSet set) {
    return new RulesConfig(
        new RuleFiles.Config(
            path(set, ACCESS_FILE),
            path(set, GROUPS_FILE),
            path(set, QUOTA_FILE),
            new Limits(
                set.get(USER_QUOTA),
                set.get(USER_BYTES),
                set.get(USER_PARTITIONS),
                set.get(APPLICATION_BYTES),
                set.get(APPLICATION_PARTITIONS))),
        set.get(RULES_INTERVAL),
        clientConf(set),
        set.get(CLIENT_CONF_INTERVAL));
  }

  private static Optional<Path> clientConf(ConfigSet set) {
    if (!set.get(CLIENT_CONF_ENABLED)) {
      return Optional.empty();
    }
    Optional<Path> path = path(set, CLIENT_CONF_FILE);
    if (path.isEmpty()) {
      throw new IllegalArgumentException(
          CLIENT_CONF_ENABLED.name()
              + " is true: "
              + CLIENT_CONF_FILE.name()
              + " must name a file");
    }
    return path;
  }

  private static Optional<Path> path(ConfigSet set, ConfigKey<String> key) {
    return set.find(key).map(CoordinatorConfig::localPath);
  }

  private static ConfigKey.Builder<Long> limit(ConfigKey.Builder<Long> key) {
    return key.defaultValue(-1L).atLeast(0L).alsoAllow(-1L, "no limit").reloadable();
  }

  private static ConfigKey.Builder<String> file(String name) {
    return ConfigKey.string(name)
        .check(CoordinatorConfig::isLocalPath, "a path of this machine, with or without file://");
  }
}
