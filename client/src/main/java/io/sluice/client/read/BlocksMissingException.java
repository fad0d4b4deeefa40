package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.List;

/**
 * Expected blocks are missing at all servers and in local output, or their records do not match the
 * receipts of the map tasks: the engine must rerun the named map tasks.
 */
public final class BlocksMissingException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final List<MissingBlocks> missing;

  /**
   * @param missing at least one; other blocks of the shuffle may be missing too
   */
  public BlocksMissingException(int shuffle, List<MissingBlocks> missing) {
    super(code(missing.get(0).reason()), message(shuffle, missing));
    this.missing = List.copyOf(missing);
  }

  /** At least one. */
  public List<MissingBlocks> missing() {
    return missing;
  }

  private static String message(int shuffle, List<MissingBlocks> missing) {
    MissingBlocks first = missing.get(0);
    return (first.reason() == Reason.MISMATCH
            ? "records of a map task do not match its receipt shuffle="
            : "blocks of a map task are missing shuffle=")
        + shuffle
        + " partition="
        + first.partition()
        + " attempt="
        + first.mapAttempt()
        + " mapIndex="
        + first.mapIndex()
        + " reason="
        + first.reason()
        + " servers="
        + String.join(",", first.servers())
        + (first.detail().isEmpty() ? "" : ": " + first.detail())
        + (missing.size() > 1 ? "; otherMissingAttempts=" + (missing.size() - 1) : "");
  }

  private static StatusCode code(Reason reason) {
    return switch (reason) {
      case NEVER_WRITTEN, INCOMPLETE -> StatusCode.NEVER_WRITTEN;
      case EXPIRED -> StatusCode.EXPIRED;
      case LOST -> StatusCode.LOST;
      case UNREACHABLE -> StatusCode.INTERNAL;
      case CORRUPT, MISMATCH -> StatusCode.BLOCK_CORRUPT;
    };
  }
}
