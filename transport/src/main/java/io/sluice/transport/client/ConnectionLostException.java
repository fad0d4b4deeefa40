package io.sluice.transport.client;

import java.io.IOException;

/**
 * The connection ended or timed out before the reply: it is unknown whether the request was
 * executed.
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
