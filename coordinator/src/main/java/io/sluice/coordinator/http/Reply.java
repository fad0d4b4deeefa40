package io.sluice.coordinator.http;

import io.sluice.metrics.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What goes back to a peer. */
final class Reply {
  static final int OK = 200;
  static final int NOT_MODIFIED = 304;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int UNAVAILABLE = 503;

  private static final String TEXT = "text/plain; charset=utf-8";

  /**
   * Nothing is loaded from elsewhere, nothing runs that did not come from here as a file, and no
   * other page may frame or read what is here.
   */
  private static final Map<String, String> EVERYWHERE =
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
   * @param headers beyond those that every reply carries
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

  /** It with the headers that every reply carries. */
  HttpAnswer answer() {
    Map<String, String> all = new HashMap<>(EVERYWHERE);
    all.put("Cache-Control", "no-store");
    all.putAll(headers);
    all.put("Content-Type", contentType);
    return new HttpAnswer(code, body, all);
  }
}
