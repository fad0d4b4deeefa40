package io.sluice.server.net;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of short-circuit reads: socket, connection limits and timeouts.
 *
 * @param socket path of the Unix domain socket
 * @param maxConnections maximum number of open connections; further ones are closed
 * @param maxConnectionsPerUser maximum number of open connections from one operating-system user;
 *     further ones are closed
 * @param firstRequestMs timeout from the connection to its first complete request, with the
 *     handshake
 * @param idleMs timeout after which a connection without requests and replies is closed
 */
public record ShortCircuitConfig(
    Path socket, int maxConnections, int maxConnectionsPerUser, int firstRequestMs, int idleMs) {
  /** Size of {@code sun_path} on Linux, without the terminating zero. */
  private static final int MAX_PATH_BYTES = 107;

  static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool("rss.server.shortcircuit.enabled")
          .defaultValue(true)
          .doc(
              "Whether clients on this host may read run files directly"
                  + " (short-circuit reads). Clients get read-only file descriptors over a Unix"
                  + " domain socket. Disable it if processes of other users on the host must not"
                  + " read shuffle data.")
          .build();

  static final ConfigKey<String> SOCKET =
      ConfigKey.string("rss.server.shortcircuit.socket")
          .check(path -> path.startsWith("/"), "an absolute path")
          .check(
              path -> pathBytes(path) <= MAX_PATH_BYTES,
              "a path of at most " + MAX_PATH_BYTES + " bytes")
          .doc(
              "Path of the Unix domain socket for short-circuit reads. By default it is sluice.sock"
                  + " in the first directory of rss.storage.basePath. Set it if client containers"
                  + " cannot access that directory, or if its path is too long. All directories of"
                  + " the path must belong to root or to the server's user, and be writable by no"
                  + " others.")
          .build();

  /** Configuration keys of this record. */
  public static final List<ConfigKey<?>> KEYS = List.of(ENABLED, SOCKET);

  public ShortCircuitConfig {
    if (maxConnections < 1 || maxConnectionsPerUser < 1 || firstRequestMs < 1 || idleMs < 1) {
      throw new IllegalArgumentException(
          "every limit of short-circuit reads must be at least 1: maxConnections="
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
   * @param firstDirectory first directory of run files, the default location of the socket
   * @param data limits of data connections, which also apply to this socket
   * @return empty if short-circuit reads are disabled
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

  /**
   * @throws IOException if the operating system allows no socket with this path, as that of the
   *     default location is not checked with the configuration
   */
  void checkPath() throws IOException {
    int bytes = pathBytes(socket.toString());
    if (bytes > MAX_PATH_BYTES) {
      throw new IOException(
          "the path has "
              + bytes
              + " bytes, at most "
              + MAX_PATH_BYTES
              + " are possible; set "
              + SOCKET.name()
              + " to a shorter one");
    }
  }

  private static int pathBytes(String path) {
    return path.getBytes(StandardCharsets.UTF_8).length;
  }
}
