package io.sluice.server.net;

import java.nio.file.Path;

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
}
