package io.sluice.coordinator.api;

import io.sluice.common.auth.Caller;
import io.sluice.common.error.PeerText;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The paths of the REST API and their handlers. Immutable, thread-safe. */
public final class ApiRoutes {
  /** Prefix of all paths of the API. */
  public static final String PREFIX = "/api/v1/";

  private static final String RELOAD = "reload";
  private static final String CALLER = PREFIX + "caller";

  private static final int MAX_EVENTS = 2000;
  private static final int DEFAULT_EVENTS = 100;
  private static final int MAX_FINISHED = 1000;
  private static final int DEFAULT_FINISHED = 100;
  private static final int MAX_USER_LENGTH = 256;

  private final List<Route> routes;
  private final Clock clock;

  /** Answers one operation, possibly later. */
  interface Handler {
    CompletionStage<Resource> answer(ApiRequest request) throws ApiException;
  }

  /** Answers one read operation at once. */
  interface Reader {
    Resource read(ApiRequest request) throws ApiException;
  }

  /**
   * @param local whether it concerns the coordinator that received it, not the shared state
   */
  private record Route(
      String method, PathTemplate template, ApiAccess.Right right, boolean local, Handler handler) {
    boolean answers(String requested) {
      return method.equals(requested.equals("HEAD") ? "GET" : requested);
    }
  }

  public ApiRoutes(
      ClusterApi api,
      AdminOperations admin,
      Membership membership,
      ProcessInspection processes,
      Clock clock) {
    this.clock = clock;
    List<Route> all = new ArrayList<>(reads(api));
    all.add(get("exclusions", request -> admin.exclusions()));
    all.add(get("revocations", request -> admin.revocations()));
    all.add(get("coordinators", request -> membership.members()));
    all.addAll(inspections(processes));
    all.addAll(mutations(admin, membership));
    this.routes = List.copyOf(all);
  }

  private static List<Route> reads(ClusterApi api) {
    return List.of(
        get("cluster", request -> api.cluster()),
        get("servers", request -> api.servers()),
        get(
            "servers/{server}",
            request -> found("server", request.path("server"), api.server(request.path("server")))),
        get("applications", request -> api.applications()),
        get(
            "applications/{application}",
            request ->
                found(
                    "application",
                    request.path("application"),
                    api.application(request.path("application")))),
        get(
            "applications/{application}/explanation",
            request ->
                found(
                    "application",
                    request.path("application"),
                    api.explanation(request.path("application")))),
        get(
            "applications/{application}/shuffles",
            request ->
                found(
                    "application",
                    request.path("application"),
                    api.shuffles(request.path("application")))),
        get(
            "applications/{application}/shuffles/{shuffle}",
            request ->
                found(
                    "shuffle",
                    request.path("application") + "/" + request.path("shuffle"),
                    api.shuffle(
                        request.path("application"),
                        (int) request.pathNumber("shuffle", Integer.MAX_VALUE)))),
        get("finished-applications", request -> finishedApplications(api, request)),
        get("events", request -> events(api, request)),
        get("throughput", request -> throughput(api, request)),
        get("quotas", request -> api.quotas()),
        get("balance", request -> api.balance()),
        get("scale-advice", request -> api.scale()));
  }

  private static List<Route> inspections(ProcessInspection processes) {
    return List.of(
        inspection("threads", request -> CompletableFuture.completedStage(processes.threads())),
        inspection("configuration", request -> processes.configuration()),
        inspection("servers/{server}/threads", r -> processes.threads(r.path("server"))),
        inspection(
            "servers/{server}/configuration", r -> processes.configuration(r.path("server"))));
  }

  private static List<Route> mutations(AdminOperations admin, Membership membership) {
    return List.of(
        mutation("POST", "servers/{server}/exclusion", r -> admin.exclude(r.path("server"))),
        mutation("DELETE", "servers/{server}/exclusion", r -> admin.include(r.path("server"))),
        mutation("POST", "servers/{server}/decommission", r -> decommission(admin, r)),
        mutation(
            "DELETE",
            "servers/{server}/decommission",
            r -> admin.cancelDecommission(r.path("server"))),
        mutation("POST", "servers/{server}/reload", r -> admin.reloadServer(r.path("server"))),
        mutation("PUT", "quotas/{user}", r -> limit(admin, r)),
        mutation(
            "DELETE",
            "quotas/{user}",
            r -> admin.limit(r.path("user"), Resource.LimitsOrder.of(Map.of()))),
        mutation("PUT", "coordinators/{address}", r -> membership.add(r.path("address"))),
        mutation("DELETE", "coordinators/{address}", r -> membership.remove(r.path("address"))),
        mutation("POST", RELOAD, r -> admin.reload()),
        mutation("POST", "users/{user}/revocation", r -> admin.revokeUser(r.path("user"))),
        mutation(
            "POST",
            "applications/{application}/revocation",
            r -> admin.revokeApplication(r.path("application"))),
        mutation(
            "DELETE",
            "applications/{application}",
            r -> admin.deleteApplication(r.path("application"))));
  }

  /** All methods and paths in OpenAPI notation. */
  Set<String> operations() {
    Set<String> all =
        routes.stream()
            .map(route -> route.method() + " " + route.template().text())
            .collect(Collectors.toCollection(TreeSet::new));
    all.add("GET " + CALLER);
    return all;
  }

  /**
   * A request that its caller may send.
   *
   * @param local as of its route
   * @param audited whether it is written to the audit log
   */
  record Permitted(boolean local, boolean audited, Handler handler, ApiRequest request) {
    CompletionStage<Resource> answer() throws ApiException {
      return handler.answer(request);
    }
  }

  /**
   * Finds the resource of a request, and checks the permission of the caller.
   *
   * @throws ApiException if the path or method is unknown, or the caller lacks the permission
   */
  Permitted find(ApiCall call, ApiAccess access) throws ApiException {
    if (call.path().equals(CALLER) && !call.isMutation()) {
      return new Permitted(
          true,
          false,
          request -> CompletableFuture.completedStage(caller(call, access)),
          new ApiRequest(Map.of(), Map.of(), call.body()));
    }
    Set<String> others = new TreeSet<>();
    for (Route route : routes) {
      Optional<Map<String, String>> names = route.template().match(call.path());
      if (names.isPresent()) {
        if (route.answers(call.method())) {
          access.check(call, route.right());
          return new Permitted(
              route.local(),
              route.right() != ApiAccess.Right.READ,
              route.handler(),
              new ApiRequest(names.get(), PathTemplate.query(call.query()), call.body()));
        }
        others.add(route.method());
      }
    }
    if (!others.isEmpty()) {
      throw ApiException.notAllowed(call.method(), String.join(", ", others));
    }
    throw new ApiException(
        404, "no such resource; see " + PREFIX + "openapi.yaml for all resources");
  }

  /** Returns the caller. Needs no authentication. */
  private Resource caller(ApiCall call, ApiAccess access) {
    Caller caller = call.caller();
    boolean user = caller.kind() == Caller.Kind.USER;
    return new Resource.Caller(
        clock.millis(),
        user ? caller.name() : null,
        user ? caller.role().name() : null,
        access.mayRead(caller),
        access.mayChange(call),
        access.tokens().getAsBoolean());
  }

  private static Route get(String path, Reader reader) {
    return new Route(
        "GET",
        new PathTemplate(PREFIX + path),
        ApiAccess.Right.READ,
        false,
        request -> CompletableFuture.completedStage(reader.read(request)));
  }

  private static Route inspection(String path, Handler handler) {
    return new Route(
        "GET", new PathTemplate(PREFIX + path), ApiAccess.Right.INSPECT, true, handler);
  }

  private static Route mutation(String method, String path, Handler handler) {
    return new Route(
        method,
        new PathTemplate(PREFIX + path),
        ApiAccess.Right.CHANGE,
        path.equals(RELOAD),
        handler);
  }

  private static CompletionStage<Resource> decommission(AdminOperations admin, ApiRequest request)
      throws ApiException {
    Resource.DecommissionOrder order =
        request.body(
            Resource.DecommissionOrder.class,
            new Resource.DecommissionOrder(null, null),
            "{\"deadlineMs\": milliseconds, \"move\": true or false}, or an empty body");
    if (order.deadline() < 0) {
      throw new ApiException(400, "deadlineMs: expected an integer from 0");
    }
    return admin.decommission(request.path("server"), order);
  }

  private static CompletionStage<Resource> limit(AdminOperations admin, ApiRequest request)
      throws ApiException {
    String form =
        "{\"applications\": number, \"bytes\": bytes, \"partitions\": number,"
            + " \"applicationBytes\": bytes, \"applicationPartitions\": number}, at least one"
            + " key; -1 for no limit";
    Resource.LimitsOrder order =
        request.body(Resource.LimitsOrder.class, Resource.LimitsOrder.of(Map.of()), form);
    if (order.named().isEmpty() || order.named().values().stream().anyMatch(max -> max < -1)) {
      throw new ApiException(400, "body: expected " + form);
    }
    String user = request.path("user");
    if (user.length() > MAX_USER_LENGTH) {
      throw new ApiException(400, "user: expected at most " + MAX_USER_LENGTH + " characters");
    }
    return admin.limit(user, order);
  }

  private static Resource events(ClusterApi api, ApiRequest request) throws ApiException {
    return api.events(
        (int) request.number("limit", DEFAULT_EVENTS, 1, MAX_EVENTS),
        request.number("after", 0, 0, Long.MAX_VALUE),
        before(request),
        request.query("server"),
        request.query("application"));
  }

  private static Resource finishedApplications(ClusterApi api, ApiRequest request)
      throws ApiException {
    return api.finishedApplications(
        (int) request.number("limit", DEFAULT_FINISHED, 1, MAX_FINISHED),
        before(request),
        request.query("user"),
        request.query("contains"));
  }

  /** Number before which a page begins. */
  private static long before(ApiRequest request) throws ApiException {
    return request.number("before", Long.MAX_VALUE, 1, Long.MAX_VALUE);
  }

  private static Resource throughput(ClusterApi api, ApiRequest request) throws ApiException {
    String server = request.query("server");
    return server.isEmpty() ? api.throughput() : found("server", server, api.throughput(server));
  }

  private static Resource found(String type, String name, Optional<Resource> resource)
      throws ApiException {
    if (resource.isEmpty()) {
      throw new ApiException(404, "unknown " + type + ": " + PeerText.quoted(name));
    }
    return resource.get();
  }
}
