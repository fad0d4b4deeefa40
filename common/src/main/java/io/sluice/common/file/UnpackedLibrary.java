package io.sluice.common.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Loads a native library that unpacks itself, without leaving its file behind.
 *
 * <p>Such libraries unpack a file that is deleted when the JVM exits. A process that is killed
 * never gets there, nor does one that ends from a shutdown hook. On Linux a library that is loaded
 * needs its file no more.
 */
public final class UnpackedLibrary {
  private UnpackedLibrary() {}

  /** Unpacks a library into a directory and loads it; does nothing if it is loaded. */
  @FunctionalInterface
  public interface Loader {
    void load(String directory) throws IOException;
  }

  /**
   * Loads a library.
   *
   * @param fileName of the file that the loader makes
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
