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

/** The paths of the REST API and what answers them. Immutable, thread-safe. */
public final class ApiRoutes {
  /** All paths of the API begin so. */
  public static final String PREFIX = "/api/v1/";

  private static final String CALLER = PREFIX + "caller";

  private static final int MOST_EVENTS = 2000;
  private static final int EVENTS_BY_DEFAULT = 100;
  private static final int MAX_USER_LENGTH = 256;

  private final List<Route> routes;
  private final Clock clock;

  /** Answers one operation. */
  interface Handler {
    CompletionStage<Resource> answer(ApiRequest request) throws ApiException;
  }

  /** Answers one operation at once. */
  interface Reader {
    Resource read(ApiRequest request) throws ApiException;
  }

  private record Route(String method, PathTemplate template, Handler handler) {
    boolean answers(String asked) {
      return method.equals(asked.equals("HEAD") ? "GET" : asked);
    }
  }

  public ApiRoutes(ClusterApi api, AdminOperations acts, Clock clock) {
    this.clock = clock;
    List<Route> all = new ArrayList<>(reads(api));
    all.add(get("exclusions", request -> acts.exclusions()));
    all.addAll(acts(acts));
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
        get("events", request -> events(api, request)),
        get("throughput", request -> throughput(api, request)),
        get("quotas", request -> api.quotas()),
        get("balance", request -> api.balance()));
  }

  private static List<Route> acts(AdminOperations acts) {
    return List.of(
        act("POST", "servers/{server}/exclusion", r -> acts.exclude(r.path("server"))),
        act("DELETE", "servers/{server}/exclusion", r -> acts.include(r.path("server"))),
        act("POST", "servers/{server}/decommission", r -> decommission(acts, r)),
        act(
            "DELETE",
            "servers/{server}/decommission",
            r -> acts.cancelDecommission(r.path("server"))),
        act("POST", "servers/{server}/reload", r -> acts.reloadServer(r.path("server"))),
        act("PUT", "quotas/{user}", r -> limit(acts, r)),
        act(
            "DELETE",
            "quotas/{user}",
            r -> acts.limit(r.path("user"), Resource.LimitsOrder.of(Map.of()))),
        act("POST", "reload", r -> acts.reload()),
        act(
            "DELETE",
            "applications/{application}",
            r -> acts.deleteApplication(r.path("application"))));
  }

  /** All methods and paths, as OpenAPI writes them. */
  Set<String> operations() {
    Set<String> all =
        routes.stream()
            .map(route -> route.method() + " " + route.template().text())
            .collect(Collectors.toCollection(TreeSet::new));
    all.add("GET " + CALLER);
    return all;
  }

  /**
   * Answers a request.
   *
   * @throws ApiException why not
   */
  CompletionStage<Resource> answer(ApiCall call, ApiAccess access) throws ApiException {
    if (call.path().equals(CALLER) && !call.changes()) {
      return CompletableFuture.completedStage(caller(call, access));
    }
    Set<String> others = new TreeSet<>();
    for (Route route : routes) {
      Optional<Map<String, String>> names = route.template().match(call.path());
      if (names.isPresent()) {
        if (route.answers(call.method())) {
          access.check(call);
          return route
              .handler()
              .answer(new ApiRequest(names.get(), PathTemplate.query(call.query()), call.body()));
        }
        others.add(route.method());
      }
    }
    if (!others.isEmpty()) {
      throw ApiException.notAllowed(call.method(), String.join(", ", others));
    }
    throw new ApiException(404, "no such resource: " + PREFIX + "openapi.yaml lists them all");
  }

  /** Who asks is told so even if that is nobody. */
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
        request -> CompletableFuture.completedStage(reader.read(request)));
  }

  private static Route act(String method, String path, Handler handler) {
    return new Route(method, new PathTemplate(PREFIX + path), handler);
  }

  private static CompletionStage<Resource> decommission(AdminOperations acts, ApiRequest request)
      throws ApiException {
    Resource.DecommissionOrder order =
        request.body(
            Resource.DecommissionOrder.class,
            new Resource.DecommissionOrder(null, null),
            "{\"deadlineMs\": milliseconds, \"move\": true or false}, or nothing");
    if (order.deadline() < 0) {
      throw new ApiException(400, "deadlineMs: expected a whole number from 0");
    }
    return acts.decommission(request.path("server"), order);
  }

  private static CompletionStage<Resource> limit(AdminOperations acts, ApiRequest request)
      throws ApiException {
    String form =
        "{\"applications\": number, \"bytes\": bytes, \"partitions\": number,"
            + " \"applicationBytes\": bytes, \"applicationPartitions\": number}, at least one of"
            + " them, each -1 for no limit";
    Resource.LimitsOrder order =
        request.body(Resource.LimitsOrder.class, Resource.LimitsOrder.of(Map.of()), form);
    if (order.named().isEmpty() || order.named().values().stream().anyMatch(max -> max < -1)) {
      throw new ApiException(400, "body: expected " + form);
    }
    String user = request.path("user");
    if (user.length() > MAX_USER_LENGTH) {
      throw new ApiException(400, "user: expected at most " + MAX_USER_LENGTH + " characters");
    }
    return acts.limit(user, order);
  }

  private static Resource events(ClusterApi api, ApiRequest request) throws ApiException {
    return api.events(
        (int) request.number("limit", EVENTS_BY_DEFAULT, 1, MOST_EVENTS),
        request.number("after", 0, 0, Long.MAX_VALUE),
        request.query("server"),
        request.query("application"));
  }

  private static Resource throughput(ClusterApi api, ApiRequest request) throws ApiException {
    String server = request.query("server");
    return server.isEmpty() ? api.throughput() : found("server", server, api.throughput(server));
  }

  private static Resource found(String what, String name, Optional<Resource> resource)
      throws ApiException {
    if (resource.isEmpty()) {
      throw new ApiException(
          404, "no " + what + " of that name is known here: " + PeerText.quoted(name));
    }
    return resource.get();
  }
}
