package io.sluice.server.disk;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A configured directory for run files. No other user may have write permission: a user that can
 * rename its entries could replace the server's files. Parent directories are not checked.
 *
 * <pre>
 *   owner                       writable by               used
 *   this process's user, root   owner only                yes
 *   this process's user, root   a group of this process   yes: Kubernetes gives volumes to fsGroup
 *   this process's user, root   another group             no
 *   any                         others, sticky or not     no
 *   another user                any                       no: the owner can change the permissions
 * </pre>
 */
final class BaseDirectory {
  private static final long ROOT = 0;
  private static final int GROUP_WRITE = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int PERMISSIONS = 07777;

  private BaseDirectory() {}

  /**
   * Creates the directory if it does not exist. Other users get execute permission only, so that
   * they can reach the Unix domain socket in it.
   *
   * @throws UnsafeDirectoryException if other users may change it
   */
  static void make(Path base, FileRights rights) throws IOException {
    if (!Files.exists(base)) {
      rights.makeDirectory(base);
      PosixFileAttributeView view = Files.getFileAttributeView(base, PosixFileAttributeView.class);
      if (view != null) {
        Set<PosixFilePermission> more = EnumSet.copyOf(view.readAttributes().permissions());
        more.add(PosixFilePermission.GROUP_EXECUTE);
        more.add(PosixFilePermission.OTHERS_EXECUTE);
        view.setPermissions(more);
      }
    }
    check(base);
  }

  /**
   * Checks owner and permissions of a directory.
   *
   * @throws NoSuchFileException if the directory does not exist
   * @throws UnsafeDirectoryException if other users may change it
   */
  static void check(Path base) throws IOException {
    Map<String, Object> found;
    try {
      found = Files.readAttributes(base, "unix:uid,gid,mode");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // Not Unix: no owner and mode to check.
      return;
    }
    Optional<String> problem =
        problem(
            base,
            ((Number) found.get("uid")).longValue(),
            ((Number) found.get("gid")).longValue(),
            ((Number) found.get("mode")).intValue(),
            ProcessIdentity.current());
    if (problem.isPresent()) {
      throw new UnsafeDirectoryException(problem.get());
    }
  }

  /**
   * @param mode permission bits; others are ignored
   * @param process user and groups of this process; if empty, only the permissions of other users
   *     are checked
   */
  static Optional<String> problem(
      Path base, long owner, long group, int mode, Optional<ProcessIdentity> process) {
    String rights = " (mode 0" + Integer.toOctalString(mode & PERMISSIONS) + ")";
    if ((mode & OTHERS_WRITE) != 0) {
      return Optional.of(
          base
              + " is writable by every user of this host"
              + rights
              + "; run chmod o-w on it, or configure a subdirectory that does not exist yet");
    }
    if (process.isEmpty()) {
      return Optional.empty();
    }
    ProcessIdentity me = process.get();
    if (owner != me.user() && owner != ROOT) {
      return Optional.of(
          base
              + " belongs to user "
              + owner
              + ", this process runs as user "
              + me.user()
              + "; run the server as the owner, chown the directory, or configure another one");
    }
    if ((mode & GROUP_WRITE) != 0 && !me.groups().contains(group)) {
      return Optional.of(
          base
              + " is writable by group "
              + group
              + rights
              + ", to which this process does not belong; run chmod g-w or chgrp on it");
    }
    return Optional.empty();
  }
}
