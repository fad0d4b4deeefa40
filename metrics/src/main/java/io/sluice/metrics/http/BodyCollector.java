package io.sluice.metrics.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;

/** Makes requests whole, and hands on those whose bodies are too long without them. */
final class BodyCollector extends HttpObjectAggregator {
  BodyCollector() {
    super(HttpPort.MAX_BODY_BYTES);
  }

  /** A request without its body, which was too long. */
  record Oversized(HttpRequest request) {}

  @Override
  protected Object newContinueResponse(
      HttpMessage start, int maxContentLength, ChannelPipeline pipeline) {
    // Not asked to go on, it is told why like any other.
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
