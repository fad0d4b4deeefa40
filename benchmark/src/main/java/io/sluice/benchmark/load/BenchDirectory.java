package io.sluice.benchmark.load;

import io.sluice.demo.staging.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for one run, which only its owner may look into; deleted with all that is in it. */
record BenchDirectory(Path path) implements AutoCloseable {

  /**
   * @param parent null: where the system keeps temporary files
   */
  static BenchDirectory make(Path parent, String name) throws IOException {
    return new BenchDirectory(
        parent == null ? Files.createTempDirectory(name) : Files.createTempDirectory(parent, name));
  }

  @Override
  public void close() throws IOException {
    Scratch.remove(path);
  }
}
