package io.sluice.server;

import io.sluice.server.remote.LocalFileSystemProvider;
import io.sluice.server.remote.spi.RemoteFileSystemProvider;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

class RemoteTierServerTest extends RemoteTierServerContract {
  @Override
  protected String classPath() throws IOException {
    Path services = Files.createDirectories(directory.resolve("classes/META-INF/services"));
    Files.writeString(
        services.resolve(RemoteFileSystemProvider.class.getName()),
        LocalFileSystemProvider.class.getName());
    try {
      Path own =
          Path.of(
              LocalFileSystemProvider.class
                  .getProtectionDomain()
                  .getCodeSource()
                  .getLocation()
                  .toURI());
      return directory.resolve("classes") + File.pathSeparator + own;
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  @Override
  protected String location() {
    return "local:" + remote();
  }
}
