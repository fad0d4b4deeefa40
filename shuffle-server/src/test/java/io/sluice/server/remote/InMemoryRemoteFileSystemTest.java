package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteFileSystem;

class InMemoryRemoteFileSystemTest extends RemoteFileSystemContract {
  @Override
  protected RemoteFileSystem openEmpty() {
    return new InMemoryRemoteFileSystem();
  }
}
