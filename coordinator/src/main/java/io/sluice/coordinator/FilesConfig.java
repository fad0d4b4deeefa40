package io.sluice.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The coordinator's files, except those of access rules and quotas ({@code QuotaConfig}).
 *
 * @param dataDirectory directory of the metadata log; empty: the log is in memory
 * @param excludeFile list of excluded servers
 * @param clientSettingsFile settings that drivers fetch
 * @param checkIntervalMs interval at which files that operators edit are read
 */
record FilesConfig(
    Optional<Path> dataDirectory,
    Optional<Path> excludeFile,
    Optional<Path> clientSettingsFile,
    long checkIntervalMs) {
  static final ConfigKey<String> DATA_DIR =
      ConfigKey.localPath("rss.coordinator.data.dir")
          .doc(
              "Directory of the metadata log, created if absent; each coordinator needs its own."
                  + " With it, exclusions, limits set through the API, decommissions, ended"
                  + " applications, fallbacks, events and throughput survive a restart. Set it"
                  + " in production.")
          .build();
  static final ConfigKey<String> EXCLUDE_FILE =
      ConfigKey.localPath("rss.coordinator.exclude.nodes.file.path")
          .doc(
              "File of servers that get no new shuffles, one per line: `host:port`, `host-port`,"
                  + " `[IPv6]:port`, the server's name, or a host name for all servers on that host."
                  + " The coordinator never writes it; a missing file excludes no server. Set it"
                  + " if a tool maintains the list; operators use `sluice admin exclude`.")
          .build();
  static final ConfigKey<Boolean> CLIENT_CONF_ENABLED =
      ConfigKey.bool("rss.coordinator.dynamicClientConf.enabled")
          .defaultValue(false)
          .doc(
              "Whether drivers get the settings in rss.coordinator.dynamicClientConf.path. Set"
                  + " it to configure all jobs centrally.")
          .build();
  static final ConfigKey<String> CLIENT_CONF_FILE =
      ConfigKey.localPath("rss.coordinator.dynamicClientConf.path")
          .doc(
              "File of client settings, which drivers fetch before they register. A line `KEY"
                  + " VALUE` applies unless the job sets the key, `force KEY VALUE` always; keys"
                  + " begin with `spark.rss.`, `mapreduce.rss.`, or `rss.` for both, and must"
                  + " not be `security` or `coordinator` keys. Set it with"
                  + " rss.coordinator.dynamicClientConf.enabled.")
          .build();
  static final ConfigKey<Long> CHECK_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.files.check.interval")
          .defaultValue(10_000L)
          .atLeast(10L)
          .doc(
              "Interval at which the files of exclusions, access rules, groups, quotas and"
                  + " client settings are read. If a file has an error, its previous content"
                  + " stays in use. Raise it if the files are on a slow network file system.")
          .build();

  /** Keys of this record. */
  static final List<ConfigKey<?>> KEYS =
      List.of(DATA_DIR, EXCLUDE_FILE, CLIENT_CONF_ENABLED, CLIENT_CONF_FILE, CHECK_INTERVAL);

  /**
   * @throws IllegalArgumentException if values contradict each other; the message is one line
   */
  static FilesConfig from(ConfigSet set) {
    boolean clientSettings = set.get(CLIENT_CONF_ENABLED);
    Optional<Path> clientSettingsFile = set.findPath(CLIENT_CONF_FILE);
    if (clientSettings && clientSettingsFile.isEmpty()) {
      throw new IllegalArgumentException(
          CLIENT_CONF_ENABLED.name()
              + " is true, but "
              + CLIENT_CONF_FILE.name()
              + " is not set: set it to a file");
    }
    return new FilesConfig(
        set.findPath(DATA_DIR),
        set.findPath(EXCLUDE_FILE),
        clientSettings ? clientSettingsFile : Optional.empty(),
        set.get(CHECK_INTERVAL));
  }
}
