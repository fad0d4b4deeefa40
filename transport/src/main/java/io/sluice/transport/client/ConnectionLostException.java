package io.sluice.transport.client;

import java.io.IOException;

/**
 * The connection ended, or stayed silent too long, before the reply: whether it was done is
 * unknown.
 */
public final class ConnectionLostException extends IOException {
  private static final long serialVersionUID = 1L;

  public ConnectionLostException(String message, Throwable cause) {
    super(message, cause);
  }

  public ConnectionLostException(String message) {
    super(message);
  }
}
