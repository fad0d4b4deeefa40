package io.sluice.server;

import io.sluice.server.remote.LocalFileSystemProvider;
import java.io.IOException;

class RemoteTierServerTest extends RemoteTierServerContract {
  @Override
  protected String classPath() throws IOException {
    return LocalFileSystemProvider.classPath(directory.resolve("classes"));
  }

  @Override
  protected String location() {
    return "local:" + remote();
  }
}
