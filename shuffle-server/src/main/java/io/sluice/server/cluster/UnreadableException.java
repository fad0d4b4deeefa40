package io.sluice.server.cluster;

import java.io.IOException;

/** Local data to be copied cannot be read or is damaged. */
final class UnreadableException extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableException(String message, Throwable cause) {
    super(message, cause);
  }
}
