package io.sluice.coordinator.api;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.auth.AdminEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.Caller;
import io.sluice.common.auth.DeniedCall;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.error.PeerText;
import io.sluice.proto.ApiReply;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * The REST API over HTTP and over the control port. Checks the permissions of callers, and writes
 * every mutation, successful or not, and every inspection of a process to the audit log.
 * Thread-safe.
 */
public final class Api {
  private static final Logger log = LoggerFactory.getLogger(Api.class);

  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int INTERNAL = 500;
  private static final int UNAVAILABLE = 503;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final ApiRoutes routes;
  private final ApiAccess access;
  private final AuditLog audit;
  private final Map<ApiCall.Port, CallDenials> denials;
  private final BooleanSupplier leads;
  private final LeaderCalls leader;

  /**
   * @param leads whether this coordinator decides
   * @param leader executes requests if it does not
   * @param denials counters of denied calls, by port
   */
  public Api(
      ApiRoutes routes,
      ApiAccess access,
      AuditLog audit,
      Map<ApiCall.Port, CallDenials> denials,
      BooleanSupplier leads,
      LeaderCalls leader) {
    this.routes = routes;
    this.access = access;
    this.audit = audit;
    this.denials = Map.copyOf(denials);
    this.leads = leads;
    this.leader = leader;
  }

  /** Methods and paths in OpenAPI notation: {@code GET /api/v1/cluster}. */
  public Set<String> operations() {
    return routes.operations();
  }

  /**
   * Answers a request. Reads are complete when this method returns; mutations may complete later.
   *
   * @return a stage that never completes exceptionally; it may complete on a thread that must not
   *     block
   */
  public CompletionStage<ApiAnswer> answer(ApiCall call) {
    CompletionStage<ApiAnswer> reply;
    boolean inspects = false;
    try {
      ApiRoutes.Permitted permitted = routes.find(call, access);
      inspects = permitted.audited();
      reply =
          permitted.local() || leads.getAsBoolean()
              ? permitted.answer().thenApply(found -> json(OK, JSON, found, ""))
              : forward(call);
    } catch (ApiException | RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    boolean audited = inspects || call.isMutation();
    return reply.handle(
        (found, failure) -> {
          ApiAnswer answer = failure == null ? found : refusal(call, cause(failure));
          String why = failure == null ? "" : cause(failure).getMessage();
          if (call.port() == ApiCall.Port.COORDINATOR) {
            // The coordinator that received the request counts and audits it.
            return answer;
          }
          if (answer.status() == UNAUTHORIZED) {
            denied(call, Cause.UNAUTHENTICATED, why);
          } else if (answer.status() == FORBIDDEN) {
            denied(call, Cause.PERMISSION_DENIED, why);
          } else if (audited) {
            audit(call, answer.status(), why);
          }
          return answer;
        });
  }

  /** Sends a request to the coordinator that leads. */
  private CompletionStage<ApiAnswer> forward(ApiCall call) {
    if (call.port() == ApiCall.Port.COORDINATOR) {
      return CompletableFuture.failedFuture(
          new ApiException(UNAVAILABLE, "another coordinator leads, retry later"));
    }
    return leader
        .call(
            "Call",
            io.sluice.proto.ApiCall.newBuilder()
                .setMethod(call.method())
                .setPath(call.path())
                .setQuery(call.query())
                .setBody(ByteString.copyFrom(call.body()))
                .build()
                .toByteString())
        .handle(
            (bytes, failure) -> {
              if (failure != null) {
                throw new CompletionException(
                    new ApiException(UNAVAILABLE, cause(failure).getMessage()));
              }
              try {
                ApiReply reply = ApiReply.parseFrom(bytes);
                return new ApiAnswer(
                    reply.getStatus(), reply.getContentType(), reply.getBody().toByteArray(), "");
              } catch (InvalidProtocolBufferException e) {
                throw new CompletionException(e);
              }
            });
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private static ApiAnswer refusal(ApiCall call, Throwable failure) {
    if (failure instanceof ApiException refused) {
      return problem(refused.status(), refused.getMessage(), refused.allow());
    }
    log.error(
        "REST API request failed method={} path={}",
        PeerText.quoted(call.method()),
        PeerText.quoted(call.path()),
        failure);
    return problem(INTERNAL, "internal error: see the coordinator's log for the cause", "");
  }

  /** Returns an error answer for a failure outside this class. */
  public static ApiAnswer problem(int status, String detail) {
    return problem(status, detail, "");
  }

  private static ApiAnswer problem(int status, String detail, String allow) {
    String line = detail == null ? "" : detail.lines().collect(Collectors.joining(" "));
    return json(
        status, PROBLEM, new Resource.Problem("about:blank", title(status), status, line), allow);
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not found";
      case 405 -> "Method not allowed";
      case 409 -> "Conflict";
      case 413 -> "Too large";
      case 415 -> "Unsupported media type";
      case 502 -> "Bad gateway";
      case 503 -> "Unavailable";
      default -> "Failed";
    };
  }

  private static ApiAnswer json(int status, String type, Resource resource, String allow) {
    return new ApiAnswer(status, type, MAPPER.writeValueAsBytes(resource), allow);
  }

  private void denied(ApiCall call, Cause cause, String why) {
    CallDenials portDenials = denials.get(call.port());
    if (call.isMutation()) {
      portDenials.denied(
          new DeniedCall(
              cause,
              call.method() + " " + call.path(),
              call.caller().kind() == Caller.Kind.ANONYMOUS ? "" : call.caller().text(),
              call.peer(),
              why));
    } else {
      // Counted only: a web page repeats the request every few seconds until a user signs in.
      portDenials.counted(cause);
    }
  }

  private void audit(ApiCall call, int status, String reason) {
    audit.write(
        new AdminEntry(
            call.method() + " " + call.path(),
            status == OK ? "OK" : Integer.toString(status),
            call.caller().text(),
            call.peer(),
            reason == null ? "" : reason));
  }
}
