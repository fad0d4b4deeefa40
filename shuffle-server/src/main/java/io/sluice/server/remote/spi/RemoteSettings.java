package io.sluice.server.remote.spi;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a remote file system.
 *
 * @param base URI of the base directory
 * @param configurationDirectory directory of the file system's configuration files
 * @param properties properties that override these files
 * @param kerberos empty: no login
 * @param group group with read permission for files and directories; empty: the owner only
 */
public record RemoteSettings(
    String base,
    Optional<Path> configurationDirectory,
    Map<String, String> properties,
    Optional<KerberosSettings> kerberos,
    Optional<String> group) {
  /** Files are readable by their owner only. */
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
