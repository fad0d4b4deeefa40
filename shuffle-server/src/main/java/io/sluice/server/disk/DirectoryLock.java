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
 * Keeps a second server out of a directory: a locked file in it that says who has it. The system
 * gives the lock back when the process ends, however it ends.
 */
final class DirectoryLock implements AutoCloseable {
  static final String FILE = "sluice.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes a directory.
   *
   * @param owner one line that tells the next who asks who has it
   * @throws DirectoryInUseException if somebody has it
   */
  static DirectoryLock take(Path directory, String owner) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            FileRights.ofNewFile(file));
    boolean taken = false;
    try {
      taken = tryLock(channel);
      if (!taken) {
        throw new DirectoryInUseException(directory, ownerIn(file));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((owner + "\n").getBytes(StandardCharsets.UTF_8)));
      return new DirectoryLock(channel);
    } finally {
      if (!taken) {
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
