package io.sluice.server.log;

import io.netty.buffer.ByteBuf;

/**
 * The body of a push of which at least one block was kept, from append until it has been spilled.
 * Frames of a shuffle form a list in the order of arrival. Guarded by the lock of its {@link
 * ShuffleLog}; owns one reference to the body.
 */
final class LoggedFrame {
  /** Where a frame is on its way to a file. */
  enum State {
    BUFFERED,
    SPILLING,
    /** Left the log, by a spill or by removal. */
    GONE
  }

  final ByteBuf body;
  final long heldBytes;
  // Consecutive per shuffle: shows whether two frames in the list are neighbours in arrival.
  final long arrival;
  Extent.InMemory[] extents;
  State state = State.BUFFERED;
  LoggedFrame previous;
  LoggedFrame next;

  LoggedFrame(ByteBuf body, long heldBytes, long arrival) {
    this.body = body;
    this.heldBytes = heldBytes;
    this.arrival = arrival;
  }
}
