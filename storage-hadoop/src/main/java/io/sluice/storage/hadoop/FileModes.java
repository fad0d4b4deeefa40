package io.sluice.storage.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Access rights of files and directories that a server creates on a Hadoop file system: for the
 * server's user only, or readable by one group as well. On an object store without access rights
 * nothing is set, and no directories are created. Immutable.
 *
 * <pre>
 *                      owner only   with a group
 *   file               0600         0640
 *   directory          0700         0750
 *   the base, if created 0711 0751
 * </pre>
 */
final class FileModes {
  private static final short FILE = 0600;
  private static final short DIRECTORY = 0700;
  private static final short PASS_THROUGH = 0011;
  private static final short GROUP_READ = 0040;
  private static final short GROUP_EXECUTE = 0010;

  private final Optional<String> group;

  private FileModes(Optional<String> group) {
    this.group = group;
  }

  /**
   * @param group group with read access; empty: the owner only
   */
  static FileModes of(Optional<String> group) {
    return new FileModes(group);
  }

  /**
   * Creates the base directory if it does not exist. The rights of an existing directory are not
   * changed. An object store needs no directory; there this only checks that it answers.
   */
  void makeBase(FileSystem fileSystem, Path base) throws IOException {
    if (hasRights(fileSystem, base)) {
      makeDirectory(fileSystem, base, PASS_THROUGH);
    } else if (areDirectoriesImplied(fileSystem, base)) {
      fileSystem.exists(base);
    } else {
      fileSystem.mkdirs(base);
    }
  }

  /**
   * Whether directories exist because there are files in them, as on an object store, and files can
   * be deleted without an object for the directory that becomes empty.
   */
  boolean areDirectoriesImplied(FileSystem fileSystem, Path base) throws IOException {
    return !hasRights(fileSystem, base)
        && fileSystem.hasPathCapability(base, CommonPathCapabilities.BULK_DELETE);
  }

  /**
   * Creates a file, and its directories below the base. Overwrites: HDFS otherwise refuses to
   * create a file that a writer left unfinished, and its client retries for minutes.
   */
  FSDataOutputStream create(FileSystem fileSystem, Path base, Path file, int bufferBytes)
      throws IOException {
    if (!hasRights(fileSystem, base)) {
      return fileSystem.create(file, true, bufferBytes);
    }
    Deque<Path> directories = new ArrayDeque<>();
    for (Path parent = file.getParent(); !parent.equals(base); parent = parent.getParent()) {
      directories.push(parent);
    }
    for (Path directory : directories) {
      makeDirectory(fileSystem, directory, (short) 0);
    }
    FsPermission mode = mode(FILE, GROUP_READ);
    FSDataOutputStream created =
        fileSystem.create(
            file,
            mode,
            true,
            bufferBytes,
            fileSystem.getDefaultReplication(file),
            fileSystem.getDefaultBlockSize(file),
            null);
    boolean shared = false;
    try {
      share(fileSystem, file, mode);
      shared = true;
      return created;
    } finally {
      if (!shared) {
        created.close();
        fileSystem.delete(file, false);
      }
    }
  }

  private void makeDirectory(FileSystem fileSystem, Path directory, short more) throws IOException {
    try {
      fileSystem.getFileStatus(directory);
    } catch (FileNotFoundException e) {
      FsPermission mode = mode((short) (DIRECTORY | more), (short) (GROUP_READ | GROUP_EXECUTE));
      fileSystem.mkdirs(directory, mode);
      share(fileSystem, directory, mode);
    }
  }

  /** Sets the group and its rights, which the umask may have removed. */
  private void share(FileSystem fileSystem, Path path, FsPermission mode) throws IOException {
    if (group.isPresent()) {
      fileSystem.setOwner(path, null, group.get());
      fileSystem.setPermission(path, mode);
    }
  }

  private FsPermission mode(short ofOwner, short ofGroup) {
    return new FsPermission((short) (group.isPresent() ? ofOwner | ofGroup : ofOwner));
  }

  private static boolean hasRights(FileSystem fileSystem, Path base) throws IOException {
    return fileSystem.hasPathCapability(base, CommonPathCapabilities.FS_PERMISSIONS);
  }
}
