package io.sluice.transport.protocol;

/** Who a {@link FrameReceiver} hands frames to, and tells about its channel. */
public interface ChannelFrameSink extends FrameSink {
  /** The bytes that were there have been handed over: the time to flush replies. */
  void onReadComplete();

  /** The channel closed, or failed and is being closed. Called once, last. */
  void onClosed(Throwable causeOrNull);
}
