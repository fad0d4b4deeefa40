package io.sluice.server.shortcircuit;

import java.nio.file.Path;

/**
 * @param socket where to listen
 * @param maxConnections at a time; further ones are closed
 */
public record ShortCircuitConfig(Path socket, int maxConnections) {
  /** What {@code sun_path} takes on Linux, without the final zero. */
  public static final int MAX_PATH_BYTES = 107;
}
