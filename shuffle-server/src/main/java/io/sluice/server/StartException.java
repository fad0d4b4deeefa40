package io.sluice.server;

/** A server that cannot start, in one line for the person who started it. */
public final class StartException extends RuntimeException {
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
