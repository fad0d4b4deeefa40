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
 */
public record RemoteSettings(
    String base,
    Optional<Path> configurationDirectory,
    Map<String, String> properties,
    Optional<KerberosSettings> kerberos) {
  public RemoteSettings {
    properties = Map.copyOf(properties);
  }
}
