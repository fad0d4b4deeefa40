package io.sluice.server.log;

import io.netty.buffer.ByteBuf;

/**
 * Body of a push with at least one new block, from its append until its spill. Frames of a shuffle
 * form a list in the order of arrival. Guarded by the lock of its {@link ShuffleLog}; owns one
 * reference to the body.
 */
final class LoggedFrame {
  /** State of a frame. */
  enum State {
    BUFFERED,
    SPILLING,
    /** Removed from the log, by a spill or with its shuffle. */
    REMOVED
  }

  final ByteBuf body;
  final long reservedBytes;
  // Consecutive number per shuffle: shows whether two frames of the list arrived consecutively.
  final long arrival;
  Extent.InMemory[] extents;
  State state = State.BUFFERED;
  LoggedFrame previous;
  LoggedFrame next;

  LoggedFrame(ByteBuf body, long reservedBytes, long arrival) {
    this.body = body;
    this.reservedBytes = reservedBytes;
    this.arrival = arrival;
  }
}
