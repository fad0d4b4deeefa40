package io.sluice.common.block;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** Bytes are not a complete, undamaged block. */
public final class BlockFormatException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /** Type of damage. */
  public enum Reason {
    TRUNCATED,
    BAD_MAGIC,
    BAD_VERSION,
    BAD_FLAGS,
    BAD_CODEC,
    BAD_FIELD,
    BAD_CHECKSUM
  }

  private final Reason reason;

  BlockFormatException(Reason reason, String message) {
    super(StatusCode.BLOCK_CORRUPT, message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
