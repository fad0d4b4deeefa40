package io.sluice.coordinator.http;

import io.sluice.metrics.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** An HTTP reply. */
final class Reply {
  static final int OK = 200;
  static final int NOT_MODIFIED = 304;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int UNAVAILABLE = 503;

  private static final String TEXT = "text/plain; charset=utf-8";

  /**
   * Headers of every reply. Pages load resources and run scripts from this origin only, and pages
   * of other origins cannot frame or read them.
   */
  private static final Map<String, String> COMMON_HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin");

  private final int code;
  private final String contentType;
  private final byte[] body;
  private final Map<String, String> headers;

  /**
   * @param body borrows
   * @param headers headers in addition to the common ones
   */
  Reply(int code, String contentType, byte[] body, Map<String, String> headers) {
    this.code = code;
    this.contentType = contentType;
    this.body = body;
    this.headers = Map.copyOf(headers);
  }

  static Reply text(int code, String text) {
    return new Reply(code, TEXT, text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  static Reply of(String contentType, byte[] body) {
    return new Reply(OK, contentType, body, Map.of());
  }

  int code() {
    return code;
  }

  /** The body as text. */
  String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** Returns this reply with the common headers. */
  HttpAnswer answer() {
    Map<String, String> all = new HashMap<>(COMMON_HEADERS);
    all.put("Cache-Control", "no-store");
    all.putAll(headers);
    all.put("Content-Type", contentType);
    return new HttpAnswer(code, body, all);
  }
}
