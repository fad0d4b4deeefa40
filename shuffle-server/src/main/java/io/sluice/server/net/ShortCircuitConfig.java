package io.sluice.server.net;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.transport.server.DataTransportConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where run files are handed out, and what a server puts up with there.
 *
 * @param socket where to listen
 * @param maxConnections at a time; further ones are closed
 * @param maxConnectionsPerUser at a time from processes of one operating-system user; further ones
 *     are closed
 * @param firstRequestMs from the connection to its first whole request
 * @param idleMs a connection that has asked for nothing and was given nothing for so long is closed
 */
public record ShortCircuitConfig(
    Path socket, int maxConnections, int maxConnectionsPerUser, int firstRequestMs, int idleMs) {
  /** What {@code sun_path} takes on Linux, without the final zero. */
  public static final int MAX_PATH_BYTES = 107;

  static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool("rss.server.shortcircuit.enabled")
          .defaultValue(true)
          .doc(
              "Whether clients on this host may read run files themselves: over a Unix domain"
                  + " socket they get descriptors that are open for reading only. Change it if"
                  + " processes of other users on the host are not trusted with them.")
          .build();

  static final ConfigKey<String> SOCKET =
      ConfigKey.string("rss.server.shortcircuit.socket")
          .check(path -> path.startsWith("/"), "an absolute path")
          .doc(
              "Path of the Unix domain socket for clients on this host, at most 107 bytes;"
                  + " without it, sluice.sock in the first directory of rss.storage.basePath. Set it if"
                  + " containers of clients see another directory.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(ENABLED, SOCKET);

  public ShortCircuitConfig {
    if (maxConnections < 1 || maxConnectionsPerUser < 1 || firstRequestMs < 1 || idleMs < 1) {
      throw new IllegalArgumentException(
          "short circuit: every limit must be at least 1: maxConnections="
              + maxConnections
              + " maxConnectionsPerUser="
              + maxConnectionsPerUser
              + " firstRequestMs="
              + firstRequestMs
              + " idleMs="
              + idleMs);
    }
  }

  /**
   * @param firstDirectory that run files go to; the socket lies there unless configured
   * @param data limits of data connections, which count here, too
   * @return empty: run files are not handed out
   */
  public static Optional<ShortCircuitConfig> from(
      ConfigSet set, Path firstDirectory, DataTransportConfig data) {
    return set.get(ENABLED)
        ? Optional.of(
            new ShortCircuitConfig(
                set.findPath(SOCKET).orElse(firstDirectory.resolve("sluice.sock")),
                data.maxConnections(),
                data.maxConnectionsPerPeer(),
                data.helloTimeoutMs(),
                data.stallTimeoutMs()))
        : Optional.empty();
  }
}
