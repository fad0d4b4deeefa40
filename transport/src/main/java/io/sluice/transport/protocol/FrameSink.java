package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Receives frames from a receiver, one after the other, on the connection's executor. A method may
 * close the connection or call the receiver.
 */
public interface FrameSink {
  /**
   * A valid header was received. Its head has not been received, and no memory is allocated for it.
   *
   * @return whether to receive the head now. Otherwise the sink calls {@code receiveHead} of the
   *     receiver later, or ends it; until then the connection is not read
   */
  default boolean onHeader(FrameHeader header) {
    return true;
  }

  /**
   * A header and head were received and verified. If {@link FrameHeader#bodyLength} is more than 0,
   * the sink calls {@code receiveBody} or {@code discardBody} of the receiver, at once or later;
   * until then the connection is not read.
   *
   * @param frame borrowed; header and head, adjacent from index 0
   */
  void onHead(FrameHeader header, ByteBuf frame);

  /**
   * The complete body of the frame announced by {@link #onHead} was received.
   *
   * @param body takes ownership; the buffer passed to {@code receiveBody}, filled
   */
  void onBody(FrameHeader header, ByteBuf body);

  /**
   * The received bytes are not a frame; the receiver ignores all later bytes.
   *
   * @param requestId request id of the frame if it can be determined, else 0
   */
  void onMalformed(long requestId, FrameFormatException problem);
}
