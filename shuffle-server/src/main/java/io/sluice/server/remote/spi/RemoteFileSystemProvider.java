package io.sluice.server.remote.spi;

import java.io.IOException;

/** Opens remote file systems; found by {@link java.util.ServiceLoader}. */
public interface RemoteFileSystemProvider {
  /** Opens what the settings name, and logs in if they say so; makes the base if it is missing. */
  RemoteFileSystem open(RemoteSettings settings) throws IOException;
}
