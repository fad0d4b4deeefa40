package io.sluice.transport.protocol;

/** Receives frames and channel events from a {@link FrameReceiver}. */
public interface ChannelFrameSink extends FrameSink {
  /** All available bytes were processed; replies can be flushed. */
  void onReadComplete();

  /** The channel is closed, or has failed and is being closed. Called once, as the last method. */
  void onClosed(Throwable causeOrNull);
}
