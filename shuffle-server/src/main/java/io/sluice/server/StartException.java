package io.sluice.server;

import java.io.IOException;

/** The server cannot start. The message is one line for the operator. */
public final class StartException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the problem, its location and the remedy
   */
  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
