package io.sluice.server.disk;

import java.io.IOException;

/**
 * Other users of the host could change what a server stores in a directory, or its access rights
 * cannot be set as configured. One line that says what to do.
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
