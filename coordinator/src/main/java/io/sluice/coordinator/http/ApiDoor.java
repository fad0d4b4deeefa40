package io.sluice.coordinator.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiAnswer;
import io.sluice.coordinator.api.ApiCall;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns HTTP requests into calls of the REST API. Who asks is known by a bearer token or by the
 * certificate of the connection, never by a cookie; and since a browser offers a certificate by
 * itself, what changes something is refused if a page from elsewhere asks for it. Thread-safe.
 */
final class ApiDoor {
  private static final Logger log = LoggerFactory.getLogger(ApiDoor.class);

  /** No act needs more than some fields. */
  static final int MAX_BODY_LENGTH = 16 << 10;

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int TOO_LARGE = 413;
  private static final int UNSUPPORTED_TYPE = 415;
  private static final byte[] NOTHING = {};
  private static final Pattern BEARER = Pattern.compile("[Bb]earer +([!-~]+) *");

  private final Api api;
  private final ClusterSecurity security;

  ApiDoor(Api api, ClusterSecurity security) {
    this.api = api;
    this.security = security;
  }

  /** Never ends exceptionally, but for a connection that breaks while its body is read. */
  CompletionStage<Reply> answer(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    boolean changes = !method.equals("GET") && !method.equals("HEAD");
    ApiAnswer refusal = changes ? fromElsewhere(exchange) : null;
    if (refusal != null) {
      return CompletableFuture.completedStage(reply(refusal));
    }
    byte[] body = NOTHING;
    if (changes) {
      body = exchange.getRequestBody().readNBytes(MAX_BODY_LENGTH + 1);
      if (body.length > MAX_BODY_LENGTH) {
        return refused(TOO_LARGE, "a body has at most " + MAX_BODY_LENGTH + " bytes");
      }
      if (method.equals("POST") && !isJson(exchange.getRequestHeaders())) {
        return refused(UNSUPPORTED_TYPE, "expected Content-Type: application/json");
      }
    }
    Caller caller;
    try {
      caller = caller(exchange);
    } catch (SluiceException e) {
      log.warn(
          "request denied path={} peer={} reason=\"{}\"",
          exchange.getRequestURI().getRawPath(),
          peer(exchange),
          e.getMessage());
      return refused(UNAUTHORIZED, e.getMessage());
    }
    String query = exchange.getRequestURI().getRawQuery();
    return api.answer(
            new ApiCall(
                ApiCall.Door.PAGES,
                method,
                exchange.getRequestURI().getRawPath(),
                query == null ? "" : query,
                body,
                caller,
                peer(exchange)))
        .thenApply(ApiDoor::reply);
  }

  private Caller caller(HttpExchange exchange) throws SluiceException {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    String bearer = null;
    if (header != null) {
      Matcher matcher = BEARER.matcher(header);
      // Whatever else stands there proves nobody.
      bearer = matcher.matches() ? matcher.group(1) : "";
    }
    return security.caller(
        bearer, exchange instanceof HttpsExchange https ? https.getSSLSession() : null);
  }

  /** Browsers say where a request comes from; others say nothing, and need not. */
  private static ApiAnswer fromElsewhere(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    String site = headers.getFirst("Sec-Fetch-Site");
    String origin = headers.getFirst("Origin");
    boolean elsewhere =
        site != null
            ? !site.equals("same-origin") && !site.equals("none")
            : origin != null && !origin.endsWith("://" + headers.getFirst("Host"));
    return elsewhere
        ? Api.problem(FORBIDDEN, "a page from elsewhere asks for this: only those of here may")
        : null;
  }

  private static boolean isJson(Headers headers) {
    String type = headers.getFirst("Content-Type");
    return type != null
        && type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json");
  }

  private static String peer(HttpExchange exchange) {
    InetSocketAddress peer = exchange.getRemoteAddress();
    return peer.getAddress().getHostAddress() + ":" + peer.getPort();
  }

  private static CompletionStage<Reply> refused(int status, String detail) {
    return CompletableFuture.completedStage(reply(Api.problem(status, detail)));
  }

  private static Reply reply(ApiAnswer answer) {
    Map<String, String> headers =
        answer.status() == UNAUTHORIZED
            ? Map.of("WWW-Authenticate", "Bearer realm=\"sluice\"")
            : answer.allow().isEmpty() ? Map.of() : Map.of("Allow", answer.allow());
    return new Reply(answer.status(), answer.contentType(), answer.body(), headers);
  }
}
