package io.sluice.server.remote;

import java.io.IOException;

/** Classes of the remote tier are missing; a retry will not succeed. The message is one line. */
final class MissingClassesException extends IOException {
  private static final long serialVersionUID = 1L;

  MissingClassesException(String message, Throwable cause) {
    super(message, cause);
  }
}
