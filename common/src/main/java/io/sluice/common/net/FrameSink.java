package io.sluice.common.net;

import io.netty.buffer.ByteBuf;
import io.sluice.common.frame.FrameFormatException;
import io.sluice.common.frame.FrameHeader;

/**
 * Who a {@link FrameReceiver} hands frames to. Every method is called on the channel's event loop,
 * one frame after the other. A method may close the channel or call the receiver back.
 */
public interface FrameSink {
  /**
   * A verified header and head. When {@link FrameHeader#bodyLength} is more than 0 the sink calls
   * {@link FrameReceiver#receiveBody} or {@link FrameReceiver#discardBody}, at once or later; until
   * then nothing more is read from the connection.
   *
   * @param frame borrows: header and head back to back from index 0
   */
  void onHead(FrameHeader header, ByteBuf frame);

  /**
   * The whole body of the frame that {@link #onHead} announced.
   *
   * @param body takes: what {@link FrameReceiver#receiveBody} was given, filled
   */
  void onBody(FrameHeader header, ByteBuf body);

  /**
   * Bytes that are not a frame; the receiver ignores everything after them.
   *
   * @param requestId as far as it can be told, else 0
   */
  void onMalformed(long requestId, FrameFormatException problem);

  /** The bytes that were there have been handed over: the time to flush replies. */
  void onReadComplete();

  /** Whether the channel takes more outgoing bytes has changed. */
  void onWritabilityChanged();

  /** The channel closed, or failed and is being closed. Called once, last. */
  void onClosed(Throwable causeOrNull);
}
