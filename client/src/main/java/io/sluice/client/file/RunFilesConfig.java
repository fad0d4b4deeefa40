package io.sluice.client.file;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;
import java.util.Optional;

/**
 * Which run files a client reads itself.
 *
 * @param onThisHost whether it asks servers on its host for descriptors
 * @param remote the directory of a shared file system that run files are opened below; empty: none
 */
public record RunFilesConfig(boolean onThisHost, Optional<RemoteDirectory> remote) {
  /** Everything is fetched. */
  public static final RunFilesConfig NONE = new RunFilesConfig(false, Optional.empty());

  static final ConfigKey<Boolean> SHORT_CIRCUIT =
      ConfigKey.bool("rss.client.read.shortcircuit.enabled")
          .defaultValue(true)
          .doc(
              "Whether the process opens run files on its own host, or below"
                  + " rss.client.read.remote.path, itself. What it cannot open is fetched from the"
                  + " server. Change it only to find a fault.")
          .build();

  static final ConfigKey<String> REMOTE_FILES =
      ConfigKey.string("rss.client.read.remote.path")
          .check(
              RemoteDirectory::isOne, "a directory with its scheme, such as hdfs://cluster/sluice")
          .doc(
              "Directory on a shared file system below which the process opens run files itself:"
                  + " the servers' rss.server.remote.storage.path, in the same form. Without it,"
                  + " servers read such files and send their bytes. Set it to take that load off the"
                  + " servers; the job's user must be in their rss.storage.file.group.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SHORT_CIRCUIT, REMOTE_FILES);

  public static RunFilesConfig from(ConfigSet set) {
    return set.get(SHORT_CIRCUIT)
        ? new RunFilesConfig(true, set.find(REMOTE_FILES).map(RemoteDirectory::parse))
        : NONE;
  }
}
