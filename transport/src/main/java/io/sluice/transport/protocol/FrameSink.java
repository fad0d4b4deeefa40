package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Who a receiver hands frames to, one after the other, on the connection's executor. A method may
 * close the connection or call the receiver back.
 */
public interface FrameSink {
  /**
   * A valid header. Its head has not been received, and there is no memory for it yet.
   *
   * @return whether to receive the head now. Otherwise the sink calls {@code receiveHead} of the
   *     receiver later, or ends it; until then nothing more is read from the connection
   */
  default boolean onHeader(FrameHeader header) {
    return true;
  }

  /**
   * A verified header and head. When {@link FrameHeader#bodyLength} is more than 0 the sink calls
   * {@code receiveBody} or {@code discardBody} of the receiver, at once or later; until then
   * nothing more is read from the connection.
   *
   * @param frame borrows: header and head back to back from index 0
   */
  void onHead(FrameHeader header, ByteBuf frame);

  /**
   * The whole body of the frame that {@link #onHead} announced.
   *
   * @param body takes: what {@code receiveBody} was given, filled
   */
  void onBody(FrameHeader header, ByteBuf body);

  /**
   * Bytes that are not a frame; the receiver ignores everything after them.
   *
   * @param requestId as far as it can be told, else 0
   */
  void onMalformed(long requestId, FrameFormatException problem);
}
