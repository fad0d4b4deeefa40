package io.sluice.coordinator.http;

import io.sluice.coordinator.api.ApiException;
import io.sluice.coordinator.api.ApiRoutes;
import io.sluice.coordinator.api.Resource;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Turns requests of the REST API into replies of JSON. Thread-safe. */
final class ApiPages {
  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";

  private final ApiRoutes routes;
  private final JsonMapper mapper = JsonMapper.builder().build();

  ApiPages(ApiRoutes routes) {
    this.routes = routes;
  }

  /**
   * @param path encoded
   * @param query encoded, or null
   */
  Reply get(String path, String query) {
    try {
      return Reply.of(JSON, json(routes.answer(path, query)));
    } catch (ApiException e) {
      return problem(e.status(), e.getMessage());
    }
  }

  Reply problem(int status, String detail) {
    String title =
        switch (status) {
          case 400 -> "Bad request";
          case Reply.NOT_FOUND -> "Not found";
          case Reply.METHOD_NOT_ALLOWED -> "Method not allowed";
          default -> "Failed";
        };
    return new Reply(status, PROBLEM, json(ApiRoutes.problem(status, title, detail)), Map.of());
  }

  private byte[] json(Resource resource) {
    return mapper.writeValueAsBytes(resource);
  }
}
