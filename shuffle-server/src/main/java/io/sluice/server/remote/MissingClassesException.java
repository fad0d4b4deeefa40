package io.sluice.server.remote;

import java.io.IOException;

/** The remote tier cannot be loaded; trying again will not help. The message is one line. */
final class MissingClassesException extends IOException {
  private static final long serialVersionUID = 1L;

  MissingClassesException(String message, Throwable cause) {
    super(message, cause);
  }
}
