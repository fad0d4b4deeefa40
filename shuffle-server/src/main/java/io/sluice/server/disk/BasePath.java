package io.sluice.server.disk;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A directory for run files.
 *
 * @param kind configured kind of the disk; empty: detected by the server
 */
public record BasePath(Path path, Optional<StorageKind> kind) {
  /**
   * Reads {@code /path}, {@code /path:SSD} or {@code /path:HDD}.
   *
   * @throws IllegalArgumentException with a message that names the expected form
   */
  public static BasePath parse(String text) {
    String path = text.strip();
    Optional<StorageKind> kind = Optional.empty();
    int colon = path.lastIndexOf(':');
    if (colon > path.lastIndexOf('/')) {
      String suffix = path.substring(colon + 1).toUpperCase(Locale.ROOT);
      for (StorageKind each : List.of(StorageKind.SSD, StorageKind.HDD)) {
        if (each.name().equals(suffix)) {
          kind = Optional.of(each);
        }
      }
      if (kind.isEmpty()) {
        throw new IllegalArgumentException(
            "\"" + text + "\" has an unknown kind of disk; expected /path:SSD or /path:HDD");
      }
      path = path.substring(0, colon);
    }
    try {
      Path directory = Path.of(path);
      if (directory.isAbsolute()) {
        return new BasePath(directory, kind);
      }
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("\"" + text + "\" is not a path: " + e.getReason(), e);
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is not an absolute path; expected /path, /path:SSD or /path:HDD");
  }

  @Override
  public String toString() {
    return path + kind.map(each -> ":" + each).orElse("");
  }
}
