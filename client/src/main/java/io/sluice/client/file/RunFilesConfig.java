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
              "Whether run files that this process can reach itself, on the same host or on the shared"
                  + " file system of rss.client.read.remote.path, are read without their server. What"
                  + " cannot be read so is fetched.")
          .build();

  static final ConfigKey<String> REMOTE_FILES =
      ConfigKey.string("rss.client.read.remote.path")
          .check(
              RemoteDirectory::isOne, "a directory with its scheme, such as hdfs://cluster/sluice")
          .doc(
              "Directory on a shared file system below which this process opens run files that"
                  + " servers name: the rss.server.remote.storage.path of the servers, written as"
                  + " there. When not set, servers read such files and send their bytes. The job's"
                  + " user needs to be in the servers' rss.storage.file.group.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SHORT_CIRCUIT, REMOTE_FILES);

  public static RunFilesConfig from(ConfigSet set) {
    return set.get(SHORT_CIRCUIT)
        ? new RunFilesConfig(true, set.find(REMOTE_FILES).map(RemoteDirectory::parse))
        : NONE;
  }
}
