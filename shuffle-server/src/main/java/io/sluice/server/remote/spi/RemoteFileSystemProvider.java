package io.sluice.server.remote.spi;

import java.io.IOException;

/** Opens remote file systems; found by {@link java.util.ServiceLoader}. */
public interface RemoteFileSystemProvider {
  /**
   * Opens the file system of the settings, logs in if configured, and creates the base directory if
   * it is missing.
   */
  RemoteFileSystem open(RemoteSettings settings) throws IOException;
}
