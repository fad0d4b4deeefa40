package io.sluice.common.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Loads a native library that unpacks itself, and deletes the unpacked file.
 *
 * <p>Such libraries delete the unpacked file when the JVM exits. The file stays if the process is
 * killed or halted by a shutdown hook. On Linux a loaded library does not need its file.
 */
public final class UnpackedLibrary {
  private UnpackedLibrary() {}

  /** Unpacks a library into a directory and loads it; does nothing if it is already loaded. */
  @FunctionalInterface
  public interface Loader {
    void load(String directory) throws IOException;
  }

  /**
   * Loads a library.
   *
   * @param fileName name of the file that the loader creates
   */
  public static void load(String fileName, Loader loader) throws IOException {
    Path directory = Files.createTempDirectory("sluice-library");
    try {
      loader.load(directory.toString());
    } finally {
      Files.deleteIfExists(directory.resolve(fileName));
      Files.deleteIfExists(directory);
    }
  }
}
