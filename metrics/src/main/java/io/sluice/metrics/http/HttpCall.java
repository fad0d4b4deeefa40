package io.sluice.metrics.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.SocketAddress;
import java.net.URI;
import javax.net.ssl.SSLSession;

/** One complete request. Immutable. */
public final class HttpCall {
  private final String method;
  private final URI target;
  private final HttpHeaders headers;
  private final byte[] body;
  private final boolean bodyTooLong;
  private final SSLSession session;
  private final SocketAddress peer;

  /**
   * @param headers borrowed; must not be modified
   * @param body takes ownership
   * @param session TLS session; null: without TLS
   */
  public HttpCall(
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

  /** Whether the request may change state: its method is neither GET nor HEAD. */
  public boolean changes() {
    return !method.equals("GET") && !method.equals("HEAD");
  }

  /** As sent, including escapes; empty if there is none. */
  public String path() {
    String path = target.getRawPath();
    return path == null ? "" : path;
  }

  /** As sent, including escapes; empty if there is none. */
  public String query() {
    String query = target.getRawQuery();
    return query == null ? "" : query;
  }

  /** The first header with a name, ignoring case; null if there is none. */
  public String header(String name) {
    return headers.get(name);
  }

  /** A copy of the body; empty if the body was too long. */
  public byte[] body() {
    return body.clone();
  }

  /** Whether the body exceeded {@link HttpPort#MAX_BODY_BYTES}. */
  public boolean bodyTooLong() {
    return bodyTooLong;
  }

  /** TLS session of the connection; null without TLS. */
  public SSLSession session() {
    return session;
  }

  public SocketAddress peer() {
    return peer;
  }
}
