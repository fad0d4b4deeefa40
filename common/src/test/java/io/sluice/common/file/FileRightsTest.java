package io.sluice.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRightsTest {
  @TempDir private Path directory;

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
  }

  private static void create(Path file) throws IOException {
    FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            FileRights.ofNewFile(file))
        .close();
  }

  /** A group of the test process: the group of its new files. */
  private String ownGroup() throws IOException {
    return Files.readAttributes(directory, PosixFileAttributes.class).group().getName();
  }

  @Test
  void filesAreForTheOwnerOnlyFromTheirCreation() throws IOException {
    Path file = directory.resolve("file");
    create(file);
    assertThat(rights(file)).isEqualTo("rw-------");
    FileRights.OWNER_ONLY.share(file);
    assertThat(rights(file)).isEqualTo("rw-------");
  }

  @Test
  void directoriesAreRestrictedToTheOwner() throws IOException {
    Path made = directory.resolve("a/b/made");
    FileRights.OWNER_ONLY.makeDirectory(made);
    assertThat(rights(made)).isEqualTo("rwx------");

    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
    FileRights.OWNER_ONLY.makeDirectory(made);
    assertThat(rights(made)).isEqualTo("rwx------");
  }

  @Test
  void aConfiguredGroupMayRead() throws IOException {
    FileRights shared = new FileRights(Optional.of(ownGroup()));
    Path made = directory.resolve("made");
    shared.makeDirectory(made);
    assertThat(rights(made)).isEqualTo("rwxr-x---");
    Path file = made.resolve("file");
    create(file);
    shared.share(file);
    assertThat(rights(file)).isEqualTo("rw-r-----");
    assertThat(Files.readAttributes(file, PosixFileAttributes.class).group().getName())
        .isEqualTo(ownGroup());

    // Without the group, its access is removed.
    FileRights.OWNER_ONLY.makeDirectory(made);
    assertThat(rights(made)).isEqualTo("rwx------");
  }

  @Test
  void namesAMissingGroup() throws IOException {
    Path made = directory.resolve("made");
    assertThatThrownBy(() -> new FileRights(Optional.of("no-such-group")).makeDirectory(made))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("group no-such-group does not exist on this host");
    assertThat(rights(made)).isEqualTo("rwx------");
  }

  @Test
  void aFileInsteadOfADirectoryIsNotChanged() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    String before = rights(file);
    assertThatThrownBy(() -> FileRights.OWNER_ONLY.makeDirectory(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(rights(file)).isEqualTo(before);
  }
}
