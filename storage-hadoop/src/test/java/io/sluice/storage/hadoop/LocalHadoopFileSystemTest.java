package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.remote.RemoteFileSystemContract;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's own local file system. */
class LocalHadoopFileSystemTest extends RemoteFileSystemContract {
  @TempDir private Path directory;

  @Override
  protected RemoteFileSystem openEmpty() throws IOException {
    return open(directory.resolve("base with blank"));
  }

  @Test
  void writesNoSecondFileBesideEachFile() throws IOException {
    Path base = directory.resolve("plain");
    try (RemoteFileSystem files = open(base)) {
      assertThat(files.base()).isEqualTo("file:" + base);
      try (RemoteOutput output = files.create("app/server/a.run")) {
        output.write(ByteBuffer.allocate(10));
        output.complete();
      }
    }
    try (Stream<Path> all = Files.walk(base)) {
      assertThat(all.filter(Files::isRegularFile))
          .containsExactly(base.resolve("app/server/a.run"));
    }
  }

  private static RemoteFileSystem open(Path base) throws IOException {
    return new HadoopFileSystemProvider()
        .open(
            new RemoteSettings(
                base.toUri().toString().replace("%20", " "),
                Optional.empty(),
                Map.of(),
                Optional.empty()));
  }
}
