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
 * The directory that an operator names for run files. No other user may write it: whoever can
 * rename an entry of it can put files of their own in the place of the server's. Its parents are
 * the operator's business.
 *
 * <pre>
 *   owner                       writable by               used
 *   this process's user, root   owner only                yes
 *   this process's user, root   a group of this process   yes: Kubernetes gives volumes to fsGroup
 *   this process's user, root   another group             no
 *   any                         everybody, sticky or not  no
 *   another user                any                       no: the owner can change all of that
 * </pre>
 */
final class BaseDirectory {
  private static final long ROOT = 0;
  private static final int GROUP_WRITE = 0020;
  private static final int OTHERS_WRITE = 0002;
  private static final int PERMISSIONS = 07777;

  private BaseDirectory() {}

  /**
   * Creates it if it is not there, with the right for everybody to pass through to the Unix domain
   * socket in it, and to see nothing.
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
   * Looks at its owner and its access rights.
   *
   * @throws NoSuchFileException if it is not there
   * @throws UnsafeDirectoryException if other users may change it
   */
  static void check(Path base) throws IOException {
    Map<String, Object> found;
    try {
      found = Files.readAttributes(base, "unix:uid,gid,mode");
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      // Not a Unix: nothing to look at.
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
   * @param process empty: not known, then only the rights of everybody count
   */
  static Optional<String> problem(
      Path base, long owner, long group, int mode, Optional<ProcessIdentity> process) {
    String rights = " (mode 0" + Integer.toOctalString(mode & PERMISSIONS) + ")";
    if ((mode & OTHERS_WRITE) != 0) {
      return Optional.of(
          base
              + " can be written by every user of this host"
              + rights
              + "; chmod o-w it, or name a directory below it that does not exist yet");
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
              + "; run it as the owner, chown the directory, or name another one");
    }
    if ((mode & GROUP_WRITE) != 0 && !me.groups().contains(group)) {
      return Optional.of(
          base
              + " can be written by group "
              + group
              + rights
              + ", which this process does not belong to; chmod g-w or chgrp it");
    }
    return Optional.empty();
  }
}
