package io.sluice.coordinator.http;

import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.DeniedCall;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.auth.LineLimit;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.PeerConnections;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiAnswer;
import io.sluice.coordinator.api.ApiCall;
import io.sluice.metrics.http.HttpCall;
import io.sluice.metrics.http.HttpPort;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns HTTP requests into calls of the REST API. Callers authenticate with a bearer token or a
 * client certificate, never with a cookie. Browsers send client certificates automatically, so
 * mutations from pages of another origin are refused (cross-site request forgery). Unauthenticated
 * reads are refused for unknown host names (DNS rebinding, see {@link HostNames}). Thread-safe.
 */
final class ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int TOO_LARGE = 413;
  private static final int UNSUPPORTED_TYPE = 415;
  private static final int TOO_MANY = 429;
  private static final int MISDIRECTED = 421;
  private static final byte[] EMPTY_BODY = {};
  private static final Pattern BEARER = Pattern.compile("[Bb]earer +([!-~]+) *");

  private final Api api;
  private final ClusterSecurity security;
  private final HostNames names;
  private final CallDenials denials;
  private final LineLimit clearTokens;

  /**
   * @param names host names that are accepted without authentication
   * @param denials counts and logs denied requests
   */
  ApiHandler(
      Api api,
      ClusterSecurity security,
      HostNames names,
      CallDenials denials,
      LongSupplier nanoTime) {
    this.api = api;
    this.security = security;
    this.names = names;
    this.denials = denials;
    this.clearTokens = new LineLimit(nanoTime);
  }

  /** Answers a request. The stage never completes exceptionally. */
  CompletionStage<Reply> answer(HttpCall call) {
    boolean changes = call.changes();
    if (changes) {
      if (isCrossOrigin(call)) {
        String detail =
            "cross-origin request refused: changes are accepted from pages of this"
                + " coordinator only";
        denied(Cause.PERMISSION_DENIED, call, detail);
        return refused(FORBIDDEN, detail);
      }
      if (call.bodyTooLong()) {
        denials.counted(Cause.TOO_LARGE);
        return refused(
            TOO_LARGE,
            "request body is too large: expected at most"
                + " "
                + HttpPort.MAX_BODY_BYTES
                + " bytes");
      }
      if (!call.method().equals("DELETE") && !isJson(call)) {
        return refused(UNSUPPORTED_TYPE, "expected Content-Type: application/json");
      }
    }
    String bearer = bearer(call);
    Optional<String> refusal =
        bearer == null
            ? Optional.empty()
            : ClusterSecurity.bearerRefusal(call.session(), call.peer());
    if (refusal.isPresent()) {
      String line = clearTokens.admit("a user's secret was sent without TLS and refused");
      if (line != null) {
        LOG.warn("{}; change the secret peer={}", line, PeerConnections.text(call.peer()));
      }
      denied(Cause.PERMISSION_DENIED, call, refusal.get());
      return refused(FORBIDDEN, refusal.get());
    }
    return security
        .caller(bearer, call.session(), call.peer())
        .handle(
            (caller, failure) ->
                failure == null ? authenticated(call, caller) : unauthenticated(call, failure))
        .thenCompose(reply -> reply);
  }

  private CompletionStage<Reply> unauthenticated(HttpCall call, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof SluiceException e) {
      denied(Cause.UNAUTHENTICATED, call, e.getMessage());
      return refused(e.code() == StatusCode.BUSY ? TOO_MANY : UNAUTHORIZED, e.getMessage());
    }
    return CompletableFuture.failedStage(cause);
  }

  private CompletionStage<Reply> authenticated(HttpCall call, Caller caller) {
    // With TLS the browser has already checked the host name against the certificate.
    boolean checkHostName =
        security.openReads() && caller.kind() == Caller.Kind.ANONYMOUS && call.session() == null;
    if (checkHostName && !names.allow(call.header("Host"))) {
      return refused(
          MISDIRECTED,
          "this host name is not accepted without authentication: use an IP address, a name that"
              + " ends with .local, .internal or .svc, or the name in rss.coordinator.host");
    }
    return api.answer(
            new ApiCall(
                ApiCall.Port.HTTP,
                call.method(),
                call.path(),
                call.query(),
                call.changes() ? call.body() : EMPTY_BODY,
                caller,
                PeerConnections.text(call.peer())))
        .thenApply(ApiHandler::reply);
  }

  /** The bearer token; empty for any other scheme, which does not authenticate; null: none. */
  private static String bearer(HttpCall call) {
    String header = call.header("Authorization");
    if (header == null) {
      return null;
    }
    Matcher matcher = BEARER.matcher(header);
    return matcher.matches() ? matcher.group(1) : "";
  }

  /**
   * Whether a browser sent the request from a page of another origin. Other clients send no such
   * header.
   */
  private static boolean isCrossOrigin(HttpCall call) {
    String site = call.header("Sec-Fetch-Site");
    String origin = call.header("Origin");
    return site != null
        ? !site.equals("same-origin") && !site.equals("none")
        : origin != null && !origin.endsWith("://" + call.header("Host"));
  }

  private static boolean isJson(HttpCall call) {
    String type = call.header("Content-Type");
    return type != null
        && type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json");
  }

  private void denied(Cause cause, HttpCall call, String reason) {
    denials.denied(
        new DeniedCall(
            cause,
            call.method() + " " + call.path(),
            "",
            PeerConnections.text(call.peer()),
            reason));
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
