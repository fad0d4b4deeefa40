package io.sluice.common.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Access rights of the files and directories that a server creates, independent of the umask: for
 * the server's user only, or readable by one group as well. On a file system without POSIX rights
 * nothing is set. Immutable.
 *
 * <pre>
 *                      server's user only with a group
 *   file               rw-------       rw-r-----
 *   directory          rwx------       rwxr-x---
 * </pre>
 *
 * @param group operating system group with read access; empty: none
 */
public record FileRights(Optional<String> group) {
  /** For the server's user only. */
  public static final FileRights OWNER_ONLY = new FileRights(Optional.empty());

  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> OWNER_OF_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  /**
   * Attributes for the call that creates a file, so that other users never have access. With a
   * group, call {@link #share} when the file is complete.
   */
  public static FileAttribute<?>[] ofNewFile(Path file) {
    return isPosix(file)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
        : new FileAttribute<?>[0];
  }

  /** Lets the group, if there is one, read a file that was created with {@link #ofNewFile}. */
  public void share(Path file) throws IOException {
    if (group.isPresent()) {
      apply(file, OWNER, EnumSet.of(PosixFilePermission.GROUP_READ));
    }
  }

  /** Creates a directory and missing parents, or restricts the rights of an existing directory. */
  public void makeDirectory(Path directory) throws IOException {
    if (directory.getParent() != null) {
      Files.createDirectories(directory.getParent());
    }
    try {
      Files.createDirectory(
          directory,
          isPosix(directory)
              ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_OF_DIRECTORY)}
              : new FileAttribute<?>[0]);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    apply(
        directory,
        OWNER_OF_DIRECTORY,
        EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_EXECUTE));
  }

  private void apply(Path path, Set<PosixFilePermission> ofOwner, Set<PosixFilePermission> ofGroup)
      throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    PosixFileAttributes found = view.readAttributes();
    Set<PosixFilePermission> wanted = EnumSet.copyOf(ofOwner);
    if (group.isPresent()) {
      wanted.addAll(ofGroup);
      if (!found.group().getName().equals(group.get())) {
        view.setGroup(principal(path));
      }
    }
    if (!found.permissions().equals(wanted)) {
      view.setPermissions(wanted);
    }
  }

  private GroupPrincipal principal(Path path) throws IOException {
    try {
      return path.getFileSystem()
          .getUserPrincipalLookupService()
          .lookupPrincipalByGroupName(group.orElseThrow());
    } catch (UserPrincipalNotFoundException e) {
      FileSystemException unknown =
          new FileSystemException(
              path.toString(), null, "group " + group.get() + " does not exist on this host");
      unknown.initCause(e);
      throw unknown;
    }
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
