package io.sluice.server;

import java.io.IOException;

/** A server that cannot start, in one line for the person who started it. */
public final class StartException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, where, and what would be right
   */
  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
