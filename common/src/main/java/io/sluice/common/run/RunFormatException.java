package io.sluice.common.run;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** A file that is not a whole, undamaged run. */
public final class RunFormatException extends SluiceException {
  private static final long serialVersionUID = 1L;

  /** What is wrong with the file. */
  public enum Reason {
    /** It ends too early: the writer never finished, or the tail was cut off. */
    TRUNCATED,
    BAD_MAGIC,
    BAD_VERSION,
    /** A field has a value that no writer writes, although its checksum is right. */
    BAD_FIELD,
    BAD_CHECKSUM,
    /** A block in it is damaged. */
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

  /** Where in the file the damaged bytes begin. */
  public long offset() {
    return offset;
  }
}
