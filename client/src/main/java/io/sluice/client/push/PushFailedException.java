package io.sluice.client.push;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** The output of a map attempt cannot be completed: the engine must rerun the map task. */
public final class PushFailedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String server;

  /**
   * @param server name of the server that did not accept or lost a block
   */
  public PushFailedException(String server, StatusCode code, String message, Throwable cause) {
    super(code, message, cause);
    this.server = server;
  }

  public String server() {
    return server;
  }
}
