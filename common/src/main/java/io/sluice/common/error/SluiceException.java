package io.sluice.common.error;

import java.io.IOException;

/** A refusal or a fault with the code that tells the caller what to do next. */
public class SluiceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final StatusCode code;

  /**
   * @param message one line: what was expected, what was found, in which resource
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
