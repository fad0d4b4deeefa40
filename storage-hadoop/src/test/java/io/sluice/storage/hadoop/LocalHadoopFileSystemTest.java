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
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with Hadoop's local file system. */
class LocalHadoopFileSystemTest extends RemoteFileSystemContract {
  @TempDir private Path directory;

  @Override
  protected RemoteFileSystem openEmpty() throws IOException {
    return open(directory.resolve("base with blank"));
  }

  @Test
  void writesNoChecksumFiles() throws IOException {
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

  @Test
  void filesAndDirectoriesAreForTheirOwnerOnly() throws IOException {
    Path base = directory.resolve("private");
    try (RemoteFileSystem files = open(base)) {
      create(files, "app/server/a.run");
      create(files, "app/server/b.run");
    }
    // Other users can traverse the base directory, but not list it.
    assertThat(rights(base)).isEqualTo("rwx--x--x");
    assertThat(rights(base.resolve("app"))).isEqualTo("rwx------");
    assertThat(rights(base.resolve("app/server"))).isEqualTo("rwx------");
    assertThat(rights(base.resolve("app/server/a.run"))).isEqualTo("rw-------");
    assertThat(rights(base.resolve("app/server/b.run"))).isEqualTo("rw-------");
  }

  @Test
  void aGroupMayReadThemWithAnyUmask() throws IOException {
    Path base = directory.resolve("shared");
    String group = Files.readAttributes(directory, PosixFileAttributes.class).group().getName();
    RemoteSettings settings =
        new RemoteSettings(
            base.toUri().toString(),
            Optional.empty(),
            Map.of("fs.permissions.umask-mode", "077"),
            Optional.empty(),
            Optional.of(group));
    try (RemoteFileSystem files = new HadoopFileSystemProvider().open(settings)) {
      create(files, "app/server/a.run");
    }
    assertThat(rights(base)).isEqualTo("rwxr-x--x");
    assertThat(rights(base.resolve("app"))).isEqualTo("rwxr-x---");
    assertThat(rights(base.resolve("app/server"))).isEqualTo("rwxr-x---");
    assertThat(rights(base.resolve("app/server/a.run"))).isEqualTo("rw-r-----");
  }

  @Test
  void anExistingBaseIsNotChanged() throws IOException {
    Path base = Files.createDirectory(directory.resolve("made"));
    Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwx--x"));
    try (RemoteFileSystem files = open(base)) {
      create(files, "app/server/a.run");
    }
    assertThat(rights(base)).isEqualTo("rwxrwx--x");
    assertThat(rights(base.resolve("app"))).isEqualTo("rwx------");
  }

  private static void create(RemoteFileSystem files, String path) throws IOException {
    try (RemoteOutput output = files.create(path)) {
      output.write(ByteBuffer.allocate(10));
      output.complete();
    }
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
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
