package io.sluice.cli.control;

import io.sluice.common.config.HostPort;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApiReply;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** REST API of one coordinator, called over its RPC port. Thread-safe. */
public final class CoordinatorApi implements AutoCloseable {
  private static final String PREFIX = "/api/v1/";
  private static final int OK = 200;

  /** Ignores unknown properties, because newer coordinators may send more. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .disable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private final ControlChannel channel;

  public CoordinatorApi(HostPort coordinator, long timeoutMs) {
    this.channel = new ControlChannel("coordinator", coordinator, timeoutMs);
  }

  public HostPort coordinator() {
    return channel.peer();
  }

  /**
   * Reads a resource.
   *
   * @param query query parameters; empty values are omitted
   * @param path such as {@code ["servers", name]}
   * @throws CommandFailure with a message of one line
   */
  public JsonNode get(Map<String, ?> query, List<String> path) throws IOException {
    StringJoiner parameters = new StringJoiner("&");
    query.forEach(
        (name, value) -> {
          if (!String.valueOf(value).isEmpty()) {
            parameters.add(name + "=" + encoded(String.valueOf(value)));
          }
        });
    return call("GET", path, parameters.toString());
  }

  /** Reads a resource without query parameters. */
  public JsonNode get(String... path) throws IOException {
    return get(Map.of(), List.of(path));
  }

  /**
   * Executes an admin operation.
   *
   * @param method {@code POST} or {@code DELETE}
   */
  public JsonNode mutate(String method, List<String> path) throws IOException {
    return call(method, path, "");
  }

  /** Converts a JSON object to a resource type. */
  public static <T> T as(Class<T> type, JsonNode json) throws IOException {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JacksonException e) {
      throw new IOException(
          "cannot parse the coordinator's answer as "
              + type.getSimpleName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private JsonNode call(String method, List<String> path, String query) throws IOException {
    ApiReply reply =
        channel.admin(
            stub ->
                stub.call(
                    ApiCall.newBuilder()
                        .setMethod(method)
                        .setPath(
                            PREFIX
                                + String.join(
                                    "/", path.stream().map(CoordinatorApi::encoded).toList()))
                        .setQuery(query)
                        .build()));
    JsonNode body;
    try {
      body = MAPPER.readTree(reply.getBody().toByteArray());
    } catch (JacksonException e) {
      throw new IOException("coordinator " + coordinator() + " did not answer with JSON", e);
    }
    if (reply.getStatus() == OK) {
      return body;
    }
    throw new CommandFailure(
        switch (reply.getStatus()) {
          case 401, 403 -> ExitCode.DENIED;
          case 404 -> ExitCode.NOT_FOUND;
          default -> ExitCode.FAILED;
        },
        "coordinator " + coordinator() + ": " + body.path("detail").asString("refused"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    channel.close();
  }
}
