package io.sluice.server.remote.spi;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Which remote file system, and how to reach it.
 *
 * @param base URI of the directory to work in
 * @param configurationDirectory holds the file system's own configuration files
 * @param properties override what those files say
 * @param kerberos empty: no login
 * @param group that may read files and the directories that hold them; empty: their owner only
 */
public record RemoteSettings(
    String base,
    Optional<Path> configurationDirectory,
    Map<String, String> properties,
    Optional<KerberosSettings> kerberos,
    Optional<String> group) {
  /** Files are for their owner only. */
  public RemoteSettings(
      String base,
      Optional<Path> configurationDirectory,
      Map<String, String> properties,
      Optional<KerberosSettings> kerberos) {
    this(base, configurationDirectory, properties, kerberos, Optional.empty());
  }

  public RemoteSettings {
    properties = Map.copyOf(properties);
  }
}
