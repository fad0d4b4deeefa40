package io.sluice.common.run;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** A file is not a complete, undamaged run. */
public final class RunFormatException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /** Type of damage. */
  public enum Reason {
    /** The file ends too early: it is unfinished, or was truncated. */
    TRUNCATED,
    BAD_MAGIC,
    BAD_VERSION,
    /** A field has an invalid value, although its checksum matches. */
    BAD_FIELD,
    BAD_CHECKSUM,
    /** A block in the file is damaged. */
    BAD_BLOCK,
    /** Header and trailer, or index and blocks, do not belong together. */
    MISMATCH
  }

  private final Reason reason;
  private final long offset;

  RunFormatException(Reason reason, String file, long offset, String message) {
    super(StatusCode.STORAGE_FAILED, "run file=" + file + " offset=" + offset + ": " + message);
    this.reason = reason;
    this.offset = offset;
  }

  public Reason reason() {
    return reason;
  }

  /** Offset of the damaged bytes in the file. */
  public long offset() {
    return offset;
  }
}
