package io.sluice.client.file;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;
import java.util.Optional;

/**
 * Which run files a client reads directly, without their servers.
 *
 * @param onThisHost whether the client opens files of servers on its host
 * @param remote directory of a shared file system with run files that the client opens; empty: none
 */
public record RunFilesConfig(boolean onThisHost, Optional<RemoteDirectory> remote) {
  /** Everything is fetched from servers. */
  public static final RunFilesConfig NONE = new RunFilesConfig(false, Optional.empty());

  static final ConfigKey<Boolean> SHORT_CIRCUIT =
      ConfigKey.bool("rss.client.read.shortcircuit.enabled")
          .defaultValue(true)
          .doc(
              "Whether tasks open run files on their host, and below rss.client.read.remote.path,"
                  + " without the server. Files that they cannot open are fetched from the"
                  + " server. Set it to `false` only to find a fault.")
          .build();

  static final ConfigKey<String> REMOTE_FILES =
      ConfigKey.string("rss.client.read.remote.path")
          .check(
              RemoteDirectory::isOne, "a directory with its scheme, such as hdfs://cluster/sluice")
          .doc(
              "Directory of a shared file system in which tasks open run files without the"
                  + " server: the value of rss.server.remote.storage.path of the servers. Without"
                  + " this key, servers read these files and send the bytes. Set it to reduce the"
                  + " load of the servers; the user of the job must be in the group"
                  + " rss.storage.file.group of the servers.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(SHORT_CIRCUIT, REMOTE_FILES);

  public static RunFilesConfig from(ConfigSet set) {
    return set.get(SHORT_CIRCUIT)
        ? new RunFilesConfig(true, set.find(REMOTE_FILES).map(RemoteDirectory::parse))
        : NONE;
  }
}
