package io.sluice.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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
    List<Path> all;
    try (Stream<Path> paths = Files.walk(path)) {
      all = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
