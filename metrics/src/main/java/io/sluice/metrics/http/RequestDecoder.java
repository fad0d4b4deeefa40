package io.sluice.metrics.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.util.List;

/** Decodes requests and rejects ambiguous ones, to prevent request smuggling. */
final class RequestDecoder extends HttpRequestDecoder {
  RequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HttpPort.MAX_LINE_BYTES)
            .setMaxHeaderSize(HttpPort.MAX_HEADER_BYTES));
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    super.decode(context, bytes, out);
    for (Object read : out) {
      if (read instanceof HttpRequest request && request.headers().size() > HttpPort.MAX_HEADERS) {
        request.setDecoderResult(
            DecoderResult.failure(
                new TooLongHttpHeaderException(request.headers().size() + " headers")));
      }
    }
  }

  /** A proxy may have used the other header and interpreted the rest as another request. */
  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Transfer-Encoding and Content-Length");
  }
}
