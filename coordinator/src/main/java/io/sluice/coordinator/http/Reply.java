package io.sluice.coordinator.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** What goes back to a peer. */
final class Reply {
  static final int OK = 200;
  static final int NOT_MODIFIED = 304;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int INTERNAL = 500;
  static final int UNAVAILABLE = 503;

  private static final String TEXT = "text/plain; charset=utf-8";

  /** Smaller bodies are not worth compressing. */
  private static final int COMPRESS_FROM = 1024;

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

  /** Sends it; of a reply to HEAD only the headers. */
  void send(HttpExchange exchange) throws IOException {
    Headers sent = exchange.getResponseHeaders();
    EVERYWHERE.forEach(sent::set);
    sent.set("Cache-Control", "no-store");
    headers.forEach(sent::set);
    sent.set("Content-Type", contentType);
    byte[] bytes = body;
    if (bytes.length >= COMPRESS_FROM) {
      sent.set("Vary", "Accept-Encoding");
      if (acceptsGzip(exchange)) {
        bytes = compressed(bytes);
        sent.set("Content-Encoding", "gzip");
      }
    }
    if (exchange.getRequestMethod().equals("HEAD") || code == NOT_MODIFIED) {
      exchange.sendResponseHeaders(code, -1);
      return;
    }
    exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static boolean acceptsGzip(HttpExchange exchange) {
    String accepted = exchange.getRequestHeaders().getFirst("Accept-Encoding");
    return accepted != null && accepted.contains("gzip") && !accepted.contains("gzip;q=0");
  }

  private static byte[] compressed(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 3);
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Memory does not fail.
    }
    return out.toByteArray();
  }
}
