package io.sluice.coordinator.api;

import io.sluice.common.file.WatchedFile;
import io.sluice.coordinator.cluster.ExcludeList;
import java.nio.file.Path;

/**
 * The exclude file, which operators edit while the coordinator runs; the coordinator never writes
 * it. A missing file excludes no server, so deleting the file removes all its exclusions. If the
 * file cannot be read, the previous list stays in use, so that an I/O error cannot bring a broken
 * server back into use.
 */
public final class ExcludeFile {
  private final Path path;
  private final WatchedFile<ExcludeList> file;

  public ExcludeFile(Path path) {
    this.path = path;
    this.file =
        WatchedFile.openOptional(
            path, text -> ExcludeList.parse(text.lines().toList()), ExcludeList.empty());
  }

  /** Reads the file now. */
  public ExcludeList read() {
    return file.read();
  }

  public Path path() {
    return path;
  }
}
