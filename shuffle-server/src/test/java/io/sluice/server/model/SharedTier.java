package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.RunFiles;
import io.sluice.server.remote.InMemoryRemoteFileSystem;
import io.sluice.server.remote.RemoteStorage;
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

  /** Whether a directory of a server has a run that the server does not know: it was skipped. */
  boolean hasSkippedRuns(RemoteStorage of) {
    List<String> directories = of.directories();
    return files.paths().stream()
        .filter(SharedTier::isRun)
        .map(Path::of)
        .anyMatch(
            run ->
                directories.contains(run.getParent().getFileName().toString())
                    && of.directoryOf(run.getFileName().toString()).isEmpty());
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
