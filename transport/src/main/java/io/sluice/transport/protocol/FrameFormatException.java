package io.sluice.transport.protocol;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** Received bytes are not a frame; the connection cannot continue. */
public final class FrameFormatException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /** Type of error. */
  public enum Reason {
    TRUNCATED(StatusCode.FRAME_CORRUPT),
    BAD_MAGIC(StatusCode.FRAME_CORRUPT),
    BAD_VERSION(StatusCode.BAD_VERSION),
    BAD_TYPE(StatusCode.BAD_MESSAGE),
    BAD_FLAGS(StatusCode.BAD_MESSAGE),
    BAD_CHECKSUM(StatusCode.FRAME_CORRUPT),
    BAD_HEAD(StatusCode.BAD_MESSAGE),
    TOO_LARGE(StatusCode.FRAME_TOO_LARGE);

    private final StatusCode code;

    Reason(StatusCode code) {
      this.code = code;
    }
  }

  private final Reason reason;

  public FrameFormatException(Reason reason, String message) {
    super(reason.code, message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
