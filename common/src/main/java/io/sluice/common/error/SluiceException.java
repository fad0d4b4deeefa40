package io.sluice.common.error;

import java.io.IOException;

/** A refusal or a fault, with the code that determines the caller's reaction. */
public class SluiceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final StatusCode code;

  /**
   * @param message one line with the expected value, the found value, and the resource
   */
  public SluiceException(StatusCode code, String message) {
    super(message);
    this.code = code;
  }

  public SluiceException(StatusCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public StatusCode code() {
    return code;
  }
}
