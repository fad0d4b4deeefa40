package io.sluice.common.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;

/**
 * Checks that only root and one other user, the owner of a Unix domain socket, can have created or
 * replaced it. The owner of a socket is the user of the process that listens, because only root can
 * change the owner of a file.
 *
 * <pre>
 *   path                           owner            writable by others
 *   socket, not a symbolic link    any              yes
 *   its directory                  root, the owner  no
 *   each directory above           root, the owner  only with the sticky bit, such as /tmp
 * </pre>
 *
 * The directories are those of the path and, if it has symbolic links, also those that they lead
 * to. Groups are not checked: Kubernetes makes volumes writable for a group.
 */
public final class LocalSockets {
  private static final int TYPE = 0170000;
  private static final int SOCKET = 0140000;
  private static final int SYMBOLIC_LINK = 0120000;
  private static final int STICKY = 01000;
  private static final int OTHERS_WRITE = 0002;
  private static final int PERMISSIONS = 07777;
  private static final long ROOT = 0;

  private LocalSockets() {}

  /**
   * Checks a socket.
   *
   * @throws IOException if it does not exist, or another user can have created or replaced it; the
   *     message is one line
   */
  public static void check(String socket) throws IOException {
    Path path = Paths.get(socket);
    if (!path.isAbsolute() || path.getParent() == null) {
      throw new IOException("the path of the socket is not absolute: " + socket);
    }
    Entry found = Entry.of(path);
    if (found.type() != SOCKET) {
      throw new IOException(socket + " is not a socket");
    }
    Path real = path.getParent().toRealPath();
    checkDirectories(path.getParent(), found.owner);
    checkDirectories(real, found.owner);
    checkDirect(real, Entry.of(real));
  }

  private static void checkDirectories(Path lowest, long owner) throws IOException {
    for (Path each = lowest; each != null; each = each.getParent()) {
      Entry entry = Entry.of(each);
      if (entry.owner != ROOT && entry.owner != owner) {
        throw new IOException(
            each
                + " belongs to user "
                + entry.owner
                + ", but the socket in or below it to user "
                + owner
                + "; the directories of the socket must belong to its user or to root");
      }
      // Permissions of a symbolic link have no effect.
      if (entry.type() != SYMBOLIC_LINK && (entry.mode & (OTHERS_WRITE | STICKY)) == OTHERS_WRITE) {
        throw writable(each, entry, "chmod o-w or chmod +t");
      }
    }
  }

  /** In a sticky directory, a user can create the socket before its server does. */
  private static void checkDirect(Path directory, Entry entry) throws IOException {
    if ((entry.mode & OTHERS_WRITE) != 0) {
      throw writable(directory, entry, "chmod o-w");
    }
  }

  private static IOException writable(Path directory, Entry entry, String command) {
    return new IOException(
        directory
            + " is writable by every user of this host (mode 0"
            + Integer.toOctalString(entry.mode & PERMISSIONS)
            + "), so that others can replace the socket in or below it; run "
            + command
            + " on it, or use another directory");
  }

  /** Owner and mode of one entry of a directory, of the entry itself if it is a symbolic link. */
  private static final class Entry {
    final long owner;
    final int mode;

    private Entry(long owner, int mode) {
      this.owner = owner;
      this.mode = mode;
    }

    static Entry of(Path path) throws IOException {
      Map<String, Object> found;
      try {
        found = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      } catch (UnsupportedOperationException | IllegalArgumentException e) {
        throw new IOException("the system has no Unix attributes of files", e);
      }
      return new Entry(
          ((Number) found.get("uid")).longValue(), ((Number) found.get("mode")).intValue());
    }

    int type() {
      return mode & TYPE;
    }
  }
}
