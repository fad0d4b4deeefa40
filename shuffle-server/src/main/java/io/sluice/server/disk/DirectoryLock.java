package io.sluice.server.disk;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Prevents two servers from using one directory: a locked file, whose content names the owner. The
 * operating system releases the lock when the process ends, after a crash too.
 */
final class DirectoryLock implements AutoCloseable {
  static final String FILE = "sluice.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks a directory.
   *
   * @param owner one line about this process, for the error message of another server
   * @throws DirectoryInUseException if another server has locked the directory
   */
  static DirectoryLock acquire(Path directory, String owner) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            FileRights.ofNewFile(file));
    boolean acquired = false;
    try {
      acquired = tryLock(channel);
      if (!acquired) {
        throw new DirectoryInUseException(directory, ownerIn(file));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((owner + "\n").getBytes(StandardCharsets.UTF_8)));
      return new DirectoryLock(channel);
    } finally {
      if (!acquired) {
        channel.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // Another server in this JVM.
      return false;
    }
  }

  private static String ownerIn(Path file) throws IOException {
    String owner = Files.readString(file).strip();
    return owner.isEmpty() ? "unknown" : owner;
  }
}
