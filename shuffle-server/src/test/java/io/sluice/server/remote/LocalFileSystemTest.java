package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

class LocalFileSystemTest extends RemoteFileSystemContract {
  @TempDir private Path directory;

  @Override
  protected RemoteFileSystem openEmpty() throws IOException {
    return new LocalFileSystemProvider()
        .open(
            new RemoteSettings("local:" + directory, Optional.empty(), Map.of(), Optional.empty()));
  }
}
