package io.sluice.metrics.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.URI;
import java.net.URISyntaxException;

/** Answers to invalid requests, which are not passed to the handler. */
final class Refusals {
  private Refusals() {}

  /** The answer to an invalid request; null if the request is valid. */
  static HttpAnswer of(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      Throwable cause = request.decoderResult().cause();
      if (cause instanceof TooLongHttpLineException) {
        return HttpAnswer.text(
            414, "the request line exceeds " + HttpPort.MAX_LINE_BYTES + " bytes\n");
      }
      return cause instanceof TooLongHttpHeaderException
          ? HttpAnswer.text(
              431,
              "the request exceeds "
                  + HttpPort.MAX_HEADERS
                  + " headers or "
                  + HttpPort.MAX_HEADER_BYTES
                  + " bytes of headers\n")
          : HttpAnswer.text(400, "not a valid HTTP/1.1 request\n");
    }
    if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      return HttpAnswer.text(505, "unsupported HTTP version; use HTTP/1.1\n");
    }
    try {
      target(request.uri());
      return null;
    } catch (URISyntaxException e) {
      return HttpAnswer.text(400, "invalid path: " + e.getReason() + "\n");
    }
  }

  /** Parses the target of a request line; only path and query are used. */
  static URI target(String text) throws URISyntaxException {
    // Without the prefix, a path that begins with two slashes would be parsed as a host.
    return new URI(text.startsWith("/") ? "http://here" + text : text);
  }
}
