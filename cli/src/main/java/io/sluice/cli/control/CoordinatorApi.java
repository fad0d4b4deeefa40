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

/** The REST API of one coordinator, asked over its control port. Thread-safe. */
public final class CoordinatorApi implements AutoCloseable {
  private static final String PREFIX = "/api/v1/";
  private static final int OK = 200;

  /** Later coordinators say more than this program knows. */
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
   * Looks.
   *
   * @param query parameters; empty values are left out
   * @param path such as {@code ["servers", name]}
   * @throws CommandFailure one line
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

  /** As {@link #get(Map, List)}, without parameters. */
  public JsonNode get(String... path) throws IOException {
    return get(Map.of(), List.of(path));
  }

  /**
   * Changes something.
   *
   * @param method {@code POST} or {@code DELETE}
   */
  public JsonNode act(String method, List<String> path) throws IOException {
    return call(method, path, "");
  }

  /** A JSON object as the type that the coordinator made it of. */
  public static <T> T as(Class<T> type, JsonNode json) throws IOException {
    try {
      return MAPPER.treeToValue(json, type);
    } catch (JacksonException e) {
      throw new IOException("the coordinator's answer is not understood: " + e.getMessage(), e);
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
      throw new IOException("coordinator " + coordinator() + " answers no JSON", e);
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
