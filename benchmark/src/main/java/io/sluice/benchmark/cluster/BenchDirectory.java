package io.sluice.benchmark.cluster;

import io.sluice.demo.staging.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Directory of one benchmark, accessible only to its owner. {@link #close} deletes it with its
 * contents.
 */
public record BenchDirectory(Path path) implements AutoCloseable {

  /**
   * @param parent parent directory; null: the system's directory for temporary files
   */
  public static BenchDirectory make(Path parent, String name) throws IOException {
    return new BenchDirectory(
        parent == null ? Files.createTempDirectory(name) : Files.createTempDirectory(parent, name));
  }

  @Override
  public void close() throws IOException {
    Scratch.remove(path);
  }
}
