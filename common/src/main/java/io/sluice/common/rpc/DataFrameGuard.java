package io.sluice.common.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;

/**
 * Limits the memory of small HTTP/2 DATA frames. gRPC keeps a DATA frame as a slice of the buffer
 * that was read from the socket (64 KiB or more) until its message is complete. It also keeps empty
 * frames, which flow control does not count. Short frames are therefore copied, and empty frames
 * dropped unless they end their stream. Confined to the event loop of its connection.
 */
final class DataFrameGuard extends Http2FrameListenerDecorator {
  /** Maximum message length of an unauthenticated peer. */
  private static final int COPIED_BYTES = 4 << 10;

  DataFrameGuard(Http2FrameListener listener) {
    super(listener);
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext context, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    int length = data.readableBytes();
    if (length == 0) {
      return endOfStream
          ? super.onDataRead(context, streamId, data, padding, true)
          : padding; // Bytes to return to flow control.
    }
    if (length > COPIED_BYTES) {
      return super.onDataRead(context, streamId, data, padding, endOfStream);
    }
    ByteBuf copy = context.alloc().buffer(length, length);
    try {
      copy.writeBytes(data, data.readerIndex(), length);
      return super.onDataRead(context, streamId, copy, padding, endOfStream);
    } finally {
      copy.release();
    }
  }
}
