package io.sluice.it.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A file system of a few megabytes in memory, which can be filled. Only root can create one. */
public final class SmallDisk implements AutoCloseable {
  private static final long LIMIT_SECONDS = 30;
  private static final int CHUNK_BYTES = 64 << 10;

  private final Path directory;
  private final Path filler;

  private SmallDisk(Path directory) {
    this.directory = directory;
    this.filler = directory.resolve("filler");
  }

  /**
   * Creates a file system.
   *
   * @return empty if the user may not mount file systems
   */
  public static Optional<SmallDisk> create(Path directory, int megabytes)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    boolean mounted =
        run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "sluice", directory);
    return mounted ? Optional.of(new SmallDisk(directory)) : Optional.empty();
  }

  private static boolean run(Object... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder();
    for (Object word : command) {
      builder.command().add(word.toString());
    }
    Process process = builder.inheritIO().start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("does not end: " + builder.command());
    }
    return process.exitValue() == 0;
  }

  public Path directory() {
    return directory;
  }

  /** Writes a file until no space is left. */
  public void fill() throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    try (var out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(chunk);
      }
    } catch (IOException full) {
      if (directory.toFile().getUsableSpace() >= CHUNK_BYTES) {
        throw full;
      }
    }
  }

  /** Deletes the file that {@link #fill} wrote. */
  public void free() throws IOException {
    Files.deleteIfExists(filler);
  }

  @Override
  public void close() throws IOException {
    try {
      if (!run("umount", directory)) {
        throw new IOException("not unmounted: " + directory);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("not unmounted: " + directory, e);
    }
  }
}
