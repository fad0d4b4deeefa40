package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;

/**
 * A receiver as the owner of a connection steers it: the counterpart of {@link FrameSink}. Belongs
 * to the connection's executor.
 */
public interface FrameSource {
  /** Limits of the frames whose header has not been read yet. */
  void limits(FrameLimits limits);

  /**
   * Begins no further frame, or does again. A frame that has begun is received to its end.
   * Idempotent.
   */
  void paused(boolean paused);

  /** Receives the head that {@link FrameSink#onHeader} has announced. */
  void receiveHead();

  /**
   * Where the body announced by {@link FrameSink#onHead} goes.
   *
   * @param target takes: empty, with exactly the body's length of writable bytes
   */
  void receiveBody(ByteBuf target);

  /** Reads the announced body and drops it, without memory for it. The sink is not told. */
  void discardBody();

  /** Takes no further frame and frees what is half received. Idempotent. */
  void end();

  /** Bytes received so far: standing still means that the peer is silent. */
  long receivedBytes();

  /** Frames received to their end so far. */
  long receivedFrames();

  /** Whether part of a header or head has arrived, and the rest is wanted. */
  boolean receivingHead();

  /** Whether a body has begun and is not whole. */
  boolean receivingBody();
}
