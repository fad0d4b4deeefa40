package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Controls a receiver of frames: the counterpart of {@link FrameSink}. Confined to the connection's
 * executor.
 */
public interface FrameSource {
  /** Sets the limits of frames whose header has not been read yet. */
  void limits(FrameLimits limits);

  /** Pauses or resumes receiving. A frame that has begun is received completely. Idempotent. */
  void paused(boolean paused);

  /** Receives the head announced by {@link FrameSink#onHeader}. */
  void receiveHead();

  /**
   * Receives the body announced by {@link FrameSink#onHead}.
   *
   * @param target takes ownership; empty, with exactly the body's length of writable bytes
   */
  void receiveBody(ByteBuf target);

  /**
   * Reads and drops the announced body, without allocating memory for it. The sink is not notified.
   */
  void discardBody();

  /** Stops receiving and frees an incomplete frame. Idempotent. */
  void end();

  /** Number of received bytes, which shows progress of the peer. */
  long receivedBytes();

  /** Number of completely received frames. */
  long receivedFrames();

  /** Whether a header or head is partially received and its rest is being read. */
  boolean receivingHead();

  /** Whether a body is partially received. */
  boolean receivingBody();
}
