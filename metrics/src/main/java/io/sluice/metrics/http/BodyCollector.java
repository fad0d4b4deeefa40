package io.sluice.metrics.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;

/** Assembles complete requests; a request whose body is too long is passed on without its body. */
final class BodyCollector extends HttpObjectAggregator {
  BodyCollector() {
    super(HttpPort.MAX_BODY_BYTES);
  }

  /** A request whose body was too long and was dropped. */
  record Oversized(HttpRequest request) {}

  @Override
  protected Object newContinueResponse(
      HttpMessage start, int maxContentLength, ChannelPipeline pipeline) {
    // No "100 Continue" is sent; the handler answers the request like any other.
    return isContentLengthInvalid(start, maxContentLength)
        ? null
        : super.newContinueResponse(start, maxContentLength, pipeline);
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
    HttpRequest request = (HttpRequest) oversized;
    context.fireChannelRead(
        new Oversized(
            new DefaultHttpRequest(
                request.protocolVersion(), request.method(), request.uri(), request.headers())));
  }
}
