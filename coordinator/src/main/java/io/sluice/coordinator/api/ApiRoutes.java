package io.sluice.coordinator.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The paths of the REST API and what answers them. Immutable, thread-safe. */
public final class ApiRoutes {
  /** All paths of the API begin so. */
  public static final String PREFIX = "/api/v1/";

  private static final int MOST_EVENTS = 2000;
  private static final int EVENTS_BY_DEFAULT = 100;

  private final List<Route> routes;

  /** Answers one path. */
  interface Handler {
    Resource answer(ApiRequest request) throws ApiException;
  }

  private record Route(PathTemplate template, Handler handler) {}

  public ApiRoutes(ClusterApi api) {
    this.routes =
        List.of(
            route("cluster", request -> api.cluster()),
            route("servers", request -> api.servers()),
            route(
                "servers/{server}",
                request ->
                    found("server", request.path("server"), api.server(request.path("server")))),
            route("applications", request -> api.applications()),
            route(
                "applications/{application}",
                request ->
                    found(
                        "application",
                        request.path("application"),
                        api.application(request.path("application")))),
            route(
                "applications/{application}/shuffles",
                request ->
                    found(
                        "application",
                        request.path("application"),
                        api.shuffles(request.path("application")))),
            route(
                "applications/{application}/shuffles/{shuffle}",
                request ->
                    found(
                        "shuffle",
                        request.path("application") + "/" + request.path("shuffle"),
                        api.shuffle(
                            request.path("application"),
                            (int) request.pathNumber("shuffle", Integer.MAX_VALUE)))),
            route("events", request -> events(api, request)),
            route("throughput", request -> throughput(api, request)),
            route("balance", request -> api.balance()));
  }

  /** The templates of all paths, as OpenAPI writes them. */
  public List<String> templates() {
    return routes.stream().map(route -> route.template().text()).toList();
  }

  /**
   * Answers a request.
   *
   * @param path of the request, still encoded
   * @param query of the request, still encoded; null: there is none
   * @throws ApiException why not
   */
  public Resource answer(String path, String query) throws ApiException {
    for (Route route : routes) {
      Optional<Map<String, String>> names = route.template().match(path);
      if (names.isPresent()) {
        return route.handler().answer(new ApiRequest(names.get(), PathTemplate.query(query)));
      }
    }
    throw new ApiException(404, "no such resource: " + PREFIX + "openapi.yaml lists them all");
  }

  /** The JSON of a problem. */
  public static Resource problem(int status, String title, String detail) {
    return new Resource.Problem("about:blank", title, status, detail);
  }

  private static Route route(String path, Handler handler) {
    return new Route(new PathTemplate(PREFIX + path), handler);
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
      throw new ApiException(404, "no " + what + " of that name is known here: " + name);
    }
    return resource.get();
  }
}
