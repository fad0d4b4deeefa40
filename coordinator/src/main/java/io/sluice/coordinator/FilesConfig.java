package io.sluice.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The coordinator's files, beside those of access and quotas.
 *
 * @param dataDirectory of the metadata log; empty: it is in memory
 * @param excludeFile the list of excluded servers, if there is one
 * @param clientSettingsFile settings for jobs, if there are any
 * @param checkIntervalMs how often files that operators edit are read
 */
record FilesConfig(
    Optional<Path> dataDirectory,
    Optional<Path> excludeFile,
    Optional<Path> clientSettingsFile,
    long checkIntervalMs) {
  static final ConfigKey<String> DATA_DIR =
      ConfigKey.localPath("rss.coordinator.data.dir")
          .doc(
              "Directory of the metadata log, one for each coordinator; created if absent. With it,"
                  + " exclusions and limits set over the API, decommissions, ended applications,"
                  + " fallbacks, events and throughput survive a restart. Set it in production.")
          .build();
  static final ConfigKey<String> EXCLUDE_FILE =
      ConfigKey.localPath("rss.coordinator.exclude.nodes.file.path")
          .doc(
              "File of servers that get no new shuffles, one a line: `host:port`, `host-port`, the"
                  + " server's name, or a host for all servers on it. The coordinator reads it and"
                  + " never writes it; without the file no server is excluded. Set it if a tool"
                  + " maintains such a list; operators use `sluice admin exclude`.")
          .build();
  static final ConfigKey<Boolean> CLIENT_CONF_ENABLED =
      ConfigKey.bool("rss.coordinator.dynamicClientConf.enabled")
          .defaultValue(false)
          .doc(
              "Whether drivers get the settings of rss.coordinator.dynamicClientConf.path. Set it to"
                  + " configure jobs in one place.")
          .build();
  static final ConfigKey<String> CLIENT_CONF_FILE =
      ConfigKey.localPath("rss.coordinator.dynamicClientConf.path")
          .doc(
              "File of settings for jobs, which drivers ask for before they register. A line"
                  + " `KEY VALUE` holds unless the job sets the key, `force KEY VALUE` always. Keys"
                  + " are `spark.rss.…`, `mapreduce.rss.…`, or `rss.…` for both, but none of"
                  + " `security` and `coordinator`. Needed with"
                  + " rss.coordinator.dynamicClientConf.enabled.")
          .build();
  static final ConfigKey<Long> CHECK_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.files.check.interval")
          .defaultValue(10_000L)
          .atLeast(10L)
          .doc(
              "How often the files of exclusions, access, groups, quotas and settings for jobs are"
                  + " read. A file with an error leaves the rules as they were. Raise it if the"
                  + " files are on a slow network file system.")
          .build();

  /** The keys that this record is made from. */
  static final List<ConfigKey<?>> KEYS =
      List.of(DATA_DIR, EXCLUDE_FILE, CLIENT_CONF_ENABLED, CLIENT_CONF_FILE, CHECK_INTERVAL);

  /**
   * @throws IllegalArgumentException one line: values do not go together
   */
  static FilesConfig from(ConfigSet set) {
    boolean clientSettings = set.get(CLIENT_CONF_ENABLED);
    Optional<Path> clientSettingsFile = set.findPath(CLIENT_CONF_FILE);
    if (clientSettings && clientSettingsFile.isEmpty()) {
      throw new IllegalArgumentException(
          CLIENT_CONF_ENABLED.name()
              + " is true: "
              + CLIENT_CONF_FILE.name()
              + " must name a file");
    }
    return new FilesConfig(
        set.findPath(DATA_DIR),
        set.findPath(EXCLUDE_FILE),
        clientSettings ? clientSettingsFile : Optional.empty(),
        set.get(CHECK_INTERVAL));
  }
}
