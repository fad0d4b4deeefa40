package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BaseDirectoryTest {
  private static final Path BASE = Path.of("/data/sluice");
  private static final ProcessIdentity SLUICE = new ProcessIdentity(10001, Set.of(10001L, 2000L));

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    // Owned by the user of the process.
    "10001, 10001, 0700, ''",
    "10001, 10001, 0755, ''",
    "10001, 10001, 0775, ''",
    "10001, 50, 0755, ''",
    // Volumes of Kubernetes with fsGroup, hostPath after chown, the units' data directory.
    "0, 10001, 02775, ''",
    "0, 2000, 02770, ''",
    "0, 0, 0755, ''",
    "10001, 50, 0775, 'is writable by group 50 (mode 0775)'",
    "0, 0, 0775, 'is writable by group 0 (mode 0775)'",
    // emptyDir itself, and /var/tmp.
    "0, 10001, 02777, 'is writable by every user of this host (mode 02777)'",
    "0, 0, 01777, 'is writable by every user of this host (mode 01777)'",
    "10001, 10001, 0702, 'is writable by every user of this host (mode 0702)'",
    // Another user created the directory first.
    "1000, 10001, 0755, 'belongs to user 1000, this process runs as user 10001'",
    "1000, 10001, 0770, 'belongs to user 1000, this process runs as user 10001'",
  })
  void acceptsOnlyItsUserRootAndItsGroupsAsWriters(
      long owner, long group, String mode, String expected) {
    Optional<String> found =
        BaseDirectory.problem(BASE, owner, group, Integer.parseInt(mode, 8), Optional.of(SLUICE));

    if (expected.isEmpty()) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found.orElseThrow())
          .startsWith(BASE + " " + expected)
          .doesNotContain("\n")
          .hasSizeLessThan(250);
    }
  }

  @Test
  void readsProcessIdentityFromProcStatus() throws IOException {
    assertThat(
            ProcessIdentity.of(
                List.of(
                    "Name:\tjava",
                    "Uid:\t0\t10001\t0\t10001",
                    "Gid:\t0\t10002\t0\t10002",
                    "Groups:\t4 2000 ")))
        .isEqualTo(new ProcessIdentity(10001, Set.of(10002L, 4L, 2000L)));
    assertThat(ProcessIdentity.of(List.of("Uid: 1 1 1 1", "Gid: 2 2 2 2", "Groups: ")))
        .isEqualTo(new ProcessIdentity(1, Set.of(2L)));
  }

  @Test
  void refusesAWorldWritableDirectoryWithoutChangingIt() throws IOException {
    Path open = Files.createDirectory(directory.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    DirectoryConfig config = new DirectoryConfig(open, Optional.empty(), 0, 1);

    assertThatThrownBy(() -> DirectoryStorage.open(config, Fsync.NEVER, "me"))
        .isInstanceOf(UnsafeDirectoryException.class)
        .hasMessageStartingWith(open + " is writable by every user of this host (mode 0777); ");
    assertThat(open).isEmptyDirectory();
    // Refused rather than skipped with a warning: the disk is not at fault.
    Path good = Files.createDirectory(directory.resolve("good"));
    assertThatThrownBy(
            () ->
                Disks.open(
                    List.of(new DirectoryConfig(good, Optional.empty(), 0, 1), config),
                    DiskLimits.DEFAULT,
                    Fsync.NEVER,
                    "me",
                    System::nanoTime))
        .isInstanceOf(UnsafeDirectoryException.class);
    Path below = open.resolve("below");
    DirectoryStorage.open(new DirectoryConfig(below, Optional.empty(), 0, 1), Fsync.NEVER, "me")
        .close();
  }

  @Test
  void refusesToRenewADirectoryThatBecameWorldWritable() throws IOException {
    Path base = Files.createDirectory(directory.resolve("base"));
    try (DirectoryStorage storage =
        DirectoryStorage.open(
            new DirectoryConfig(base, Optional.empty(), 0, 1), Fsync.NEVER, "me")) {
      Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThatThrownBy(storage::renew).isInstanceOf(UnsafeDirectoryException.class);
    }
  }

  @Test
  void createdFilesAreAccessibleToTheServerUserOnly() throws IOException {
    Path base = directory.resolve("base");
    DirectoryConfig config = new DirectoryConfig(base, Optional.empty(), 0, 1);
    String run = "00112233445566778899aabbccddeeff.run";
    try (DirectoryStorage storage = DirectoryStorage.open(config, Fsync.NEVER, "me")) {
      try (Storage.NewFile file = storage.create(run)) {
        assertThat(rights(base.resolve("runs/" + run + ".tmp"))).isEqualTo("rw-------");
        file.commit();
      }
      // Executors of other users can reach the socket, but cannot list files.
      assertThat(rights(base)).isEqualTo("rwx--x--x");
      assertThat(rights(base.resolve("runs"))).isEqualTo("rwx------");
      assertThat(rights(base.resolve("runs/" + run))).isEqualTo("rw-------");
      assertThat(rights(base.resolve("sluice.lock"))).isEqualTo("rw-------");
    }
  }

  @Test
  void configuredGroupMayReadRuns() throws IOException {
    Path base = directory.resolve("base");
    String group =
        Files.readAttributes(directory, java.nio.file.attribute.PosixFileAttributes.class)
            .group()
            .getName();
    DirectoryConfig config =
        new DirectoryConfig(base, Optional.empty(), 0, 1, 0, new FileRights(Optional.of(group)));
    String run = "00112233445566778899aabbccddeeff.run";
    try (DirectoryStorage storage = DirectoryStorage.open(config, Fsync.NEVER, "me")) {
      try (Storage.NewFile file = storage.create(run)) {
        file.commit();
      }
      assertThat(rights(base)).isEqualTo("rwxr-x--x");
      assertThat(rights(base.resolve("runs"))).isEqualTo("rwxr-x---");
      assertThat(rights(base.resolve("runs/" + run))).isEqualTo("rw-r-----");
      assertThat(rights(base.resolve("sluice.lock"))).isEqualTo("rw-------");
    }
    DirectoryConfig unknown =
        new DirectoryConfig(
            base, Optional.empty(), 0, 1, 0, new FileRights(Optional.of("no-such-group")));
    assertThatThrownBy(() -> DirectoryStorage.open(unknown, Fsync.NEVER, "me"))
        .isInstanceOf(UnsafeDirectoryException.class)
        .hasMessageContaining("group no-such-group does not exist on this host");
  }

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
