package io.sluice.metrics.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.URI;
import java.net.URISyntaxException;

/** What a port itself says to requests that no page should see. */
final class Refusals {
  private Refusals() {}

  /** The answer to a request that is refused; null if it is not. */
  static HttpAnswer of(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      Throwable cause = request.decoderResult().cause();
      if (cause instanceof TooLongHttpLineException) {
        return HttpAnswer.text(
            414, "the first line of a request has at most " + HttpPort.MAX_LINE_BYTES + " bytes\n");
      }
      return cause instanceof TooLongHttpHeaderException
          ? HttpAnswer.text(
              431,
              "a request has at most "
                  + HttpPort.MAX_HEADERS
                  + " headers, together of at most "
                  + HttpPort.MAX_HEADER_BYTES
                  + " bytes\n")
          : HttpAnswer.text(400, "this is no request of HTTP/1.1\n");
    }
    if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      return HttpAnswer.text(505, "HTTP/1.1 is spoken here\n");
    }
    try {
      target(request.uri());
      return null;
    } catch (URISyntaxException e) {
      return HttpAnswer.text(400, "the path cannot be read: " + e.getReason() + "\n");
    }
  }

  /** The target of a request line, of which only path and query count. */
  static URI target(String text) throws URISyntaxException {
    // A path that begins with two slashes is no host.
    return new URI(text.startsWith("/") ? "http://here" + text : text);
  }
}
