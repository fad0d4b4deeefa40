package io.sluice.metrics.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The answer to one request. Immutable. */
public final class HttpAnswer {
  private static final String TEXT = "text/plain; charset=utf-8";

  private final int status;
  private final byte[] body;
  private final Map<String, String> headers;

  /**
   * @param body takes ownership
   * @param headers headers without those of the connection and the length, which the port sets
   */
  public HttpAnswer(int status, byte[] body, Map<String, String> headers) {
    this.status = status;
    this.body = body;
    this.headers = Map.copyOf(headers);
  }

  /** A plain-text answer. */
  public static HttpAnswer text(int status, String text) {
    return of(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * @param body takes ownership
   */
  public static HttpAnswer of(int status, String contentType, byte[] body) {
    return new HttpAnswer(status, body, Map.of("Content-Type", contentType));
  }

  int status() {
    return status;
  }

  /** Not a copy. */
  byte[] body() {
    return body;
  }

  Map<String, String> headers() {
    return headers;
  }

  /** A copy with another body and additional headers. */
  HttpAnswer with(byte[] otherBody, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(headers);
    all.putAll(more);
    return new HttpAnswer(status, otherBody, all);
  }
}
