package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.RunFiles;
import io.sluice.server.remote.InMemoryRemoteFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The remote tier that simulated servers share.
 *
 * @param files its file system
 * @param local directory of the operating system, for the names that servers store locally
 */
public record SharedTier(InMemoryRemoteFileSystem files, Path local) {
  /** A new tier without files; its user calls {@link #deleteLocal}. */
  public static SharedTier create() throws IOException {
    return new SharedTier(new InMemoryRemoteFileSystem(), Files.createTempDirectory("simulation"));
  }

  /** Whether it has a run. */
  public boolean hasRuns() {
    return files.paths().stream().anyMatch(SharedTier::isRun);
  }

  /** Fails if a server has left a run. */
  public void checkEmpty() {
    assertThat(files.paths()).as("files of the remote tier").noneMatch(SharedTier::isRun);
  }

  private static boolean isRun(String path) {
    return RunFiles.runId(path.substring(path.lastIndexOf('/') + 1)).isPresent();
  }

  /** Deletes the local directory. */
  public void deleteLocal() throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(local)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }
}
