package io.sluice.server.cluster;

import java.io.IOException;

/** What is to be copied cannot be read here, or is not what was written. */
final class UnreadableException extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableException(String message, Throwable cause) {
    super(message, cause);
  }
}
