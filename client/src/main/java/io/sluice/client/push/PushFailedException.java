package io.sluice.client.push;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** A map attempt's output cannot become whole: the attempt has to be repeated. */
public final class PushFailedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String server;

  /**
   * @param server name of the server that did not take a block
   */
  public PushFailedException(String server, StatusCode code, String message, Throwable cause) {
    super(code, message, cause);
    this.server = server;
  }

  public String server() {
    return server;
  }
}
