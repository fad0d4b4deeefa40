package io.sluice.common.rpc;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flow-control window of one received HTTP/2 stream. It is small, because its bytes are buffered
 * outside any memory budget while the service requests no message. Credit for half of a small
 * window at a time costs two frames and a system call. A service that has memory for many bytes
 * therefore {@link #expect expects} them: the peer gets credit for all of them at once, in addition
 * to the small window, and no credit for them when they are received.
 *
 * <p>{@link #expect} is thread-safe; all other methods are confined to the connection's event loop.
 */
final class StreamWindow {
  private static final Logger LOG = LoggerFactory.getLogger(StreamWindow.class);

  private final ChannelHandlerContext context;
  private final Http2Connection connection;
  private final Http2LocalFlowController flow;
  private final int stream;
  private int expectedBytes;
  private boolean closed;

  /**
   * @param context context of the connection's HTTP/2 handler
   * @param stream number of the stream
   */
  StreamWindow(
      ChannelHandlerContext context,
      Http2Connection connection,
      Http2LocalFlowController flow,
      int stream) {
    this.context = context;
    this.connection = connection;
    this.flow = flow;
    this.stream = stream;
  }

  /** Grants credit for the next bytes of the stream. */
  void expect(int bytes) {
    if (context.executor().inEventLoop()) {
      grow(bytes);
      return;
    }
    try {
      context.executor().execute(() -> grow(bytes));
    } catch (RejectedExecutionException e) {
      // The event loops have ended, and have closed the connection.
      LOG.trace("no credit for a closed connection", e);
    }
  }

  private void grow(int bytes) {
    if (closed) {
      return;
    }
    expectedBytes += bytes;
    incrementBoth(bytes);
    context.flush();
  }

  /** Bytes were received. Called before they are returned to flow control. */
  void received(int bytes) {
    int expected = Math.min(expectedBytes, bytes);
    if (expected > 0) {
      expectedBytes -= expected;
      incrementBoth(-expected);
    }
  }

  /** The stream has ended: expected bytes do not arrive. Idempotent. */
  void close() {
    closed = true;
    if (expectedBytes > 0) {
      increment(connection.connectionStream(), -expectedBytes);
      expectedBytes = 0;
    }
  }

  private void incrementBoth(int bytes) {
    increment(connection.connectionStream(), bytes);
    Http2Stream open = connection.stream(stream);
    if (open != null) {
      increment(open, bytes);
    }
  }

  private void increment(Http2Stream of, int bytes) {
    try {
      flow.incrementWindowSize(of, bytes);
    } catch (Http2Exception e) {
      throw new IllegalStateException("window of HTTP/2 stream " + of.id() + ": " + e, e);
    }
  }
}
