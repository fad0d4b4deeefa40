package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.Path;

/** Another server uses the directory. */
public final class DirectoryInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  DirectoryInUseException(Path directory, String owner) {
    super("directory " + directory + " is in use by another server: " + owner);
  }
}
