package io.sluice.common.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * Gives each call of a connection the window of its stream, and reports received bytes to the
 * window. Confined to the connection's event loop.
 */
final class StreamWindows extends Http2FrameListenerDecorator {
  private final CallBounds bounds;
  private final Http2Connection connection;
  private final Http2LocalFlowController flow;
  private final Http2Connection.PropertyKey key;

  /**
   * @param bounds creates the calls
   */
  StreamWindows(
      Http2FrameListener listener,
      CallBounds bounds,
      Http2Connection connection,
      Http2LocalFlowController flow) {
    super(listener);
    this.bounds = bounds;
    this.connection = connection;
    this.flow = flow;
    this.key = connection.newKey();
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext context,
      int streamId,
      Http2Headers headers,
      int streamDependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endStream)
      throws Http2Exception {
    StreamWindow window = new StreamWindow(context, connection, flow, streamId);
    Http2Stream stream = connection.stream(streamId);
    if (stream != null) {
      stream.setProperty(key, window);
    }
    bounds.begin(
        window,
        () ->
            super.onHeadersRead(
                context,
                streamId,
                headers,
                streamDependency,
                weight,
                exclusive,
                padding,
                endStream));
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext context, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    Http2Stream stream = connection.stream(streamId);
    if (stream != null && stream.getProperty(key) instanceof StreamWindow window) {
      window.received(data.readableBytes());
    }
    return super.onDataRead(context, streamId, data, padding, endOfStream);
  }
}
