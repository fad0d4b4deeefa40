package io.sluice.it.hostile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A mounted file system with a limited bandwidth: {@code benchmark/slow-disk}. */
final class SlowDisk implements AutoCloseable {
  private static final Path FUSE = Path.of("/dev/fuse");

  private final Process process;
  private final Path mountpoint;

  private SlowDisk(Process process, Path mountpoint) {
    this.process = process;
    this.mountpoint = mountpoint;
  }

  /** Whether this user can mount one. */
  static boolean isPossible() {
    return Files.isWritable(FUSE) && System.getProperty("user.name").equals("root");
  }

  /**
   * Mounts an empty file system.
   *
   * @param directory directory for the mount point and the files
   */
  static SlowDisk mount(Path directory, int megabytesPerSecond) throws IOException {
    Path mountpoint = Files.createDirectories(directory.resolve("mount"));
    Path data = Files.createDirectories(directory.resolve("data"));
    Process process =
        new ProcessBuilder(
                Path.of("..", "benchmark", "slow-disk").toString(),
                mountpoint.toString(),
                data.toString(),
                "--seek-ms",
                "0",
                "--mb-per-second",
                Integer.toString(megabytesPerSecond))
            .redirectError(directory.resolve("slow-disk.log").toFile())
            .start();
    SlowDisk disk = new SlowDisk(process, mountpoint);
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      String line = output.readLine();
      if (!"mounted".equals(line)) {
        disk.close();
        throw new IOException("slow-disk: expected \"mounted\", but found " + line);
      }
    }
    return disk;
  }

  Path mountpoint() {
    return mountpoint;
  }

  /** Unmounts; all processes that use the file system must have ended. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(Bounds.WAIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
