package io.sluice.metrics.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.SocketAddress;
import java.net.URI;
import javax.net.ssl.SSLSession;

/** One request, read whole. Immutable. */
public final class HttpCall {
  private final String method;
  private final URI target;
  private final HttpHeaders headers;
  private final byte[] body;
  private final boolean bodyTooLong;
  private final SSLSession session;
  private final SocketAddress peer;

  /**
   * @param headers borrows; nobody changes them
   * @param body takes
   * @param session null: in clear
   */
  HttpCall(
      String method,
      URI target,
      HttpHeaders headers,
      byte[] body,
      boolean bodyTooLong,
      SSLSession session,
      SocketAddress peer) {
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.body = body;
    this.bodyTooLong = bodyTooLong;
    this.session = session;
    this.peer = peer;
  }

  public String method() {
    return method;
  }

  /** Whether it asks for more than to be told something. */
  public boolean changes() {
    return !method.equals("GET") && !method.equals("HEAD");
  }

  /** As it was sent, escapes included; empty if there is none. */
  public String path() {
    String path = target.getRawPath();
    return path == null ? "" : path;
  }

  /** As it was sent, escapes included; empty if there is none. */
  public String query() {
    String query = target.getRawQuery();
    return query == null ? "" : query;
  }

  /** The first header of a name, in whatever case; null if there is none. */
  public String header(String name) {
    return headers.get(name);
  }

  /** What came with it; nothing if that was too long. */
  public byte[] body() {
    return body.clone();
  }

  /** Whether more came with it than {@link HttpPort#MAX_BODY_BYTES}. */
  public boolean bodyTooLong() {
    return bodyTooLong;
  }

  /** Of the connection; null where it is in clear. */
  public SSLSession session() {
    return session;
  }

  public SocketAddress peer() {
    return peer;
  }
}
