package io.sluice.server.disk;

import java.io.IOException;

/**
 * Other users of the host could change files in a directory, or its permissions cannot be set as
 * configured. The one-line message names the remedy.
 */
public final class UnsafeDirectoryException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsafeDirectoryException(String message) {
    super(message);
  }

  UnsafeDirectoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
