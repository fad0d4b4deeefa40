package io.sluice.common.error;

import io.sluice.proto.Status;

/**
 * The wire's {@link Status} with what a caller should do about it. Numbers and meanings are the
 * protocol's and never change; see {@code common.proto}.
 */
public enum StatusCode {
  OK(Status.OK, Retry.NEVER),

  BUSY(Status.BUSY, Retry.SAME_SERVER),
  DRAINING(Status.DRAINING, Retry.OTHER_SERVER),
  PARTITION_FULL(Status.PARTITION_FULL, Retry.OTHER_SERVER),
  NO_SPACE(Status.NO_SPACE, Retry.OTHER_SERVER),
  NO_SERVERS(Status.NO_SERVERS, Retry.NEVER),

  NEVER_WRITTEN(Status.NEVER_WRITTEN, Retry.OTHER_COPY),
  UNKNOWN_APPLICATION(Status.UNKNOWN_APPLICATION, Retry.NEVER),
  EXPIRED(Status.EXPIRED, Retry.NEVER),
  LOST(Status.LOST, Retry.OTHER_COPY),
  STALE_EPOCH(Status.STALE_EPOCH, Retry.REOPEN),
  OUT_OF_RANGE(Status.OUT_OF_RANGE, Retry.REOPEN),

  BLOCK_CORRUPT(Status.BLOCK_CORRUPT, Retry.SAME_SERVER),
  FRAME_CORRUPT(Status.FRAME_CORRUPT, Retry.SAME_SERVER),
  FRAME_TOO_LARGE(Status.FRAME_TOO_LARGE, Retry.NEVER),
  STORAGE_FAILED(Status.STORAGE_FAILED, Retry.OTHER_COPY),

  BAD_VERSION(Status.BAD_VERSION, Retry.NEVER),
  BAD_MESSAGE(Status.BAD_MESSAGE, Retry.NEVER),
  BAD_REQUEST(Status.BAD_REQUEST, Retry.NEVER),
  DENIED(Status.DENIED, Retry.NEVER),

  INTERNAL(Status.INTERNAL, Retry.OTHER_COPY);

  /** What may help after a refusal. */
  public enum Retry {
    /** Asking again changes nothing. */
    NEVER,
    /** The same request to the same server, later. */
    SAME_SERVER,
    /** A push: the same blocks to another server. */
    OTHER_SERVER,
    /** A read: another replica or the local copy. */
    OTHER_COPY,
    /** Open the partition again; what was learnt before does not hold. */
    REOPEN
  }

  private final Status wire;
  private final Retry retry;

  StatusCode(Status wire, Retry retry) {
    this.wire = wire;
    this.retry = retry;
  }

  public Status wire() {
    return wire;
  }

  public Retry retry() {
    return retry;
  }

  /** The code of a wire status; one from a newer peer is INTERNAL. */
  public static StatusCode of(Status wire) {
    for (StatusCode code : values()) {
      if (code.wire == wire) {
        return code;
      }
    }
    return INTERNAL;
  }
}
