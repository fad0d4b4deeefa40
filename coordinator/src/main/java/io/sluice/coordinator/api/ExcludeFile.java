package io.sluice.coordinator.api;

import io.sluice.common.file.WatchedFile;
import io.sluice.coordinator.cluster.ExcludeList;
import java.nio.file.Path;

/**
 * The exclude file, which operators change while the coordinator runs; it is only read. An absent
 * file excludes no server: that is how an operator lifts the last exclusion. A file that cannot be
 * read leaves the list as it was, because a full disk must not bring a broken server back into use.
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
