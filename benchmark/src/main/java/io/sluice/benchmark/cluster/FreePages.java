package io.sluice.benchmark.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Free pages of a machine. A hypervisor may take pages that are free for some seconds (free page
 * reporting of a balloon), and the first write to such a page costs several times as much. Without
 * {@link #use}, the program that writes first pays for the pages of all that follow. Used by one
 * thread.
 */
public final class FreePages {
  private static final int BUFFER_BYTES = 1 << 20;

  private final Path file;
  private final long bytes;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /**
   * @param directory for a file that exists only during {@link #use}
   * @param bytes size of the pages that are about to be written
   */
  public FreePages(Path directory, long bytes) {
    this.file = directory.resolve("free-pages");
    this.bytes = bytes;
  }

  /** Uses pages of the page cache and frees them, so that the next program gets them at once. */
  public void use() throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (long done = 0; done < bytes; ) {
        buffer.clear();
        done += channel.write(buffer);
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
