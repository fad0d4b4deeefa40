package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.List;

/** Blocks that no server has: the map tasks named here have to be computed again. */
public final class BlocksMissingException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final List<MissingBlocks> missing;

  /**
   * @param missing at least one; there may be more in the shuffle than are named here
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
    return "shuffle "
        + shuffle
        + " partition "
        + first.partition()
        + ": blocks of map attempt "
        + first.mapAttempt()
        + " (map index "
        + first.mapIndex()
        + ") are missing: "
        + first.reason()
        + " servers="
        + String.join(",", first.servers())
        + (first.detail().isEmpty() ? "" : ": " + first.detail())
        + (missing.size() > 1 ? "; and " + (missing.size() - 1) + " more" : "");
  }

  private static StatusCode code(Reason reason) {
    return switch (reason) {
      case NEVER_WRITTEN, INCOMPLETE -> StatusCode.NEVER_WRITTEN;
      case EXPIRED -> StatusCode.EXPIRED;
      case LOST -> StatusCode.LOST;
      case UNREACHABLE -> StatusCode.INTERNAL;
      case CORRUPT -> StatusCode.BLOCK_CORRUPT;
    };
  }
}
