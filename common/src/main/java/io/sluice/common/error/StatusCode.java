package io.sluice.common.error;

import io.sluice.proto.Status;

/**
 * The wire's {@link Status} with the reaction of a pusher and of a reader; the only such table.
 * Numbers are those of the protocol. A code that a client never receives as reply to a push or a
 * read has the reaction to an invalid reply. Documented in docs/protocol.md, "Statuses".
 */
public enum StatusCode {
  /** Done. */
  OK(Status.OK, OnPush.FAIL_OVER, OnRead.FAIL),

  /** The server is overloaded: no memory for a push, or too many requests or connections. */
  BUSY(Status.BUSY, OnPush.WAIT, OnRead.RETRY),
  /** The server is stopping. It may restart soon, with all its data. */
  DRAINING(Status.DRAINING, OnPush.RETRY, OnRead.RETRY),
  /** The server is decommissioned: it has moved its data, serves reads, and refuses pushes. */
  LEAVING(Status.LEAVING, OnPush.FAIL_OVER, OnRead.FAIL),
  /** The memory of the server is full, and no disk accepts data. */
  NO_SPACE(Status.NO_SPACE, OnPush.WAIT_BRIEFLY, OnRead.FAIL),
  /** The coordinator has no server for a shuffle. */
  NO_SERVERS(Status.NO_SERVERS, OnPush.FAIL_OVER, OnRead.FAIL),

  /** The server has never received anything of this partition, or not from these map attempts. */
  NEVER_WRITTEN(Status.NEVER_WRITTEN, OnPush.FAIL_OVER, OnRead.NOT_WRITTEN),
  /** The server or coordinator does not know the application. */
  UNKNOWN_APPLICATION(Status.UNKNOWN_APPLICATION, OnPush.FAIL_OVER, OnRead.NOT_WRITTEN),
  /** The shuffle was deleted, because it was unregistered or its application ended. */
  EXPIRED(Status.EXPIRED, OnPush.DELETED, OnRead.DELETED),
  /** The server stored these bytes but can no longer read them. */
  LOST(Status.LOST, OnPush.FAIL_OVER, OnRead.LOST),
  /** The request names another epoch of the server: it was restarted in between. */
  STALE_EPOCH(Status.STALE_EPOCH, OnPush.RECONNECT, OnRead.REOPEN),
  /** The offsets of a read are not those of the partition. */
  OUT_OF_RANGE(Status.OUT_OF_RANGE, OnPush.FAIL_OVER, OnRead.REOPEN),

  /** The checksum of a block does not match. */
  BLOCK_CORRUPT(Status.BLOCK_CORRUPT, OnPush.RESEND, OnRead.RETRY_BYTES),
  /** The checksum of a frame does not match. */
  FRAME_CORRUPT(Status.FRAME_CORRUPT, OnPush.RESEND, OnRead.RETRY),
  /** A frame or message exceeds a limit of its receiver. */
  FRAME_TOO_LARGE(Status.FRAME_TOO_LARGE, OnPush.FAIL_OVER, OnRead.FAIL),
  /** A disk failed. */
  STORAGE_FAILED(Status.STORAGE_FAILED, OnPush.RETRY, OnRead.RETRY_BYTES),

  /** The two sides have no version of the protocol in common. */
  BAD_VERSION(Status.BAD_VERSION, OnPush.FAIL_OVER, OnRead.FAIL),
  /** The message cannot be parsed, or is not allowed in this state. */
  BAD_MESSAGE(Status.BAD_MESSAGE, OnPush.FAIL_OVER, OnRead.FAIL),
  /** A field of the request has a value that is not allowed. */
  BAD_REQUEST(Status.BAD_REQUEST, OnPush.FAIL_OVER, OnRead.FAIL),
  /** Authentication or a quota denies the request. */
  DENIED(Status.DENIED, OnPush.FAIL_OVER, OnRead.NO_ACCESS),
  /** The token of the connection has expired: the server closes the connection. */
  TOKEN_EXPIRED(Status.TOKEN_EXPIRED, OnPush.RENEW, OnRead.RENEW),

  /** A fault of the server, or a code that this client does not know. */
  INTERNAL(Status.INTERNAL, OnPush.RETRY, OnRead.RETRY_BYTES);

  /**
   * Reaction of a pusher to a refused frame. Failover sends the frame to a replacement server, else
   * writes it to local output.
   */
  public enum OnPush {
    /** Back off and send it again, until the time for an overloaded server has passed. */
    WAIT,
    /**
     * As {@link #RETRY} for a tenth of its time, if failover is possible for the frame, else as
     * {@link #WAIT}.
     */
    WAIT_BRIEFLY,
    /** Back off and send it again, until the time for an unreachable server has passed. */
    RETRY,
    /** As {@link #RETRY}, over a new connection. */
    RECONNECT,
    /**
     * Send it again at once, over a new connection with the newest token; no failure is counted.
     */
    RENEW,
    /** Send it again at once; fail over when it was refused several times. */
    RESEND,
    /** Fail over, with all later frames for this server. */
    FAIL_OVER,
    /** Fail over; frames that the server acknowledged are deleted, too. */
    DELETED;

    /**
     * Whether the cause is the state of the server, so that other tasks of the process are affected
     * as well.
     */
    public boolean isServersFault() {
      return switch (this) {
        case WAIT, WAIT_BRIEFLY, RETRY, RECONNECT -> true;
        case RENEW, RESEND, FAIL_OVER, DELETED -> false;
      };
    }
  }

  /** Reaction of a reader. A copy is a replica, or the local output of a map task. */
  public enum OnRead {
    /** Back off and send the request again; read another copy when its time has passed. */
    RETRY,
    /** As {@link #RETRY}, for one slice only; other reads from this server continue. */
    RETRY_BYTES,
    /**
     * Send the request again, over a new connection with the newest token; no failure is counted.
     */
    RENEW,
    /** Open the partitions again: offsets are no longer valid. */
    REOPEN,
    /** Read another copy; without one, the blocks were never written. */
    NOT_WRITTEN,
    /** Read another copy; without one, the blocks are deleted. */
    DELETED,
    /** Read another copy of these bytes; without one, the blocks are lost. */
    LOST,
    /** Read another copy, and treat the server as unreachable in the whole process. */
    NO_ACCESS,
    /** Fail the task: every copy would return the same. */
    FAIL
  }

  private final Status wire;
  private final OnPush onPush;
  private final OnRead onRead;

  StatusCode(Status wire, OnPush onPush, OnRead onRead) {
    this.wire = wire;
    this.onPush = onPush;
    this.onRead = onRead;
  }

  public Status wire() {
    return wire;
  }

  public OnPush onPush() {
    return onPush;
  }

  public OnRead onRead() {
    return onRead;
  }

  /** The code of a wire status; INTERNAL for one that this version does not know. */
  public static StatusCode of(Status wire) {
    for (StatusCode code : values()) {
      if (code.wire == wire) {
        return code;
      }
    }
    return INTERNAL;
  }
}
