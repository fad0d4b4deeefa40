package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import io.sluice.coordinator.history.Event;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Compares the OpenAPI document with the answers of a live coordinator. */
@Timeout(60)
class OpenApiTest {
  private static final String DOCUMENT = "classpath:io/sluice/coordinator/openapi.yaml";

  private static LiveCoordinator coordinator;
  private static FakeServer server;
  private static JsonNode document;
  private static SchemaRegistry schemas;

  @BeforeAll
  static void start() throws Exception {
    coordinator = LiveCoordinator.start();
    server = new FakeServer();
    assertThat(coordinator.client().heartbeat(server.heartbeat())).isNotNull();
    coordinator.server("a", LiveCoordinator.HOSTILE);
    coordinator.server("b", "/data/1");
    coordinator.application("app-1", LiveCoordinator.HOSTILE);
    coordinator.shuffle("app-1", 3, 40);
    coordinator.stored("a", "app-1", 3, 1000, 4, 700);
    coordinator.denied("app-1", "another user");
    coordinator.tasks("app-1", "a:1", 5_000);
    coordinator.application("app-2", LiveCoordinator.HOSTILE);
    coordinator.end("app-2", "a:1", 5_000);
    document = new YAMLMapper().readTree(coordinator.get("/api/v1/openapi.yaml").body());
    schemas = SchemaRegistry.withDialect(Dialects.getOpenApi31());
  }

  @AfterAll
  static void stop() throws Exception {
    coordinator.close();
    server.close();
  }

  private static final Map<String, String> NAMES =
      Map.of("server", "a%3A1", "application", "app-1", "shuffle", "3");

  private static String filled(String template) {
    // These two paths need a server that answers.
    String path =
        template.endsWith("/threads") || template.endsWith("/configuration")
            ? template.replace("{server}", server.name())
            : template;
    for (Map.Entry<String, String> name : NAMES.entrySet()) {
      path = path.replace("{" + name.getKey() + "}", name.getValue());
    }
    return path;
  }

  private static void assertConforms(JsonNode content, HttpResponse<String> response) {
    String type = response.headers().firstValue("Content-Type").orElseThrow();
    assertThat(content.propertyNames()).contains(type);
    String reference = content.get(type).get("schema").path("$ref").asString();
    assertThat(reference).startsWith("#/components/schemas/");
    Schema schema = schemas.getSchema(SchemaLocation.of(DOCUMENT + reference));
    List<Error> errors = schema.validate(response.body(), InputFormat.JSON);
    assertThat(errors).as(response.body()).isEmpty();
  }

  @Test
  void describesEveryRoute() {
    TreeSet<String> routes = new TreeSet<>(coordinator.operations());
    routes.add("GET /api/v1/openapi.yaml");

    TreeSet<String> described = new TreeSet<>();
    for (String path : document.get("paths").propertyNames()) {
      for (String method : document.get("paths").get(path).propertyNames()) {
        if (!method.equals("parameters")) {
          described.add(method.toUpperCase(Locale.ROOT) + " " + path);
        }
      }
    }
    assertThat(described).isEqualTo(routes);
  }

  @Test
  void listsEveryKindOfEvent() {
    List<String> described = new ArrayList<>();
    document.findValues("kind").stream()
        .filter(kind -> kind.toString().contains("SERVER_JOINED"))
        .flatMap(kind -> kind.get("enum").valueStream())
        .forEach(kind -> described.add(kind.asString()));
    List<String> listed =
        Stream.of(Event.Kind.values())
            .filter(kind -> Event.of(kind).isListed())
            .map(Enum::name)
            .toList();
    assertThat(described).isEqualTo(listed);
  }

  @Test
  void everyAnswerMatchesItsSchema() throws Exception {
    Map<String, Integer> answered = new HashMap<>();
    for (String template : document.get("paths").propertyNames()) {
      if (!document.get("paths").get(template).has("get")) {
        continue;
      }
      HttpResponse<String> response = coordinator.get(filled(template));
      answered.put(template, response.statusCode());
      if (!template.endsWith("openapi.yaml")) {
        assertConforms(
            document.at("/paths").get(template).at("/get/responses/200/content"), response);
      }
    }
    assertThat(answered.values()).containsOnly(200);
  }

  @Test
  void errorsMatchTheirSchema() throws Exception {
    JsonNode notFound = document.at("/components/responses/NotFound/content");
    JsonNode wrong = document.at("/components/responses/BadRequest/content");
    for (String path :
        List.of(
            "/api/v1/servers/none",
            "/api/v1/applications/none",
            "/api/v1/applications/none/shuffles",
            "/api/v1/applications/app-1/shuffles/99",
            "/api/v1/throughput?server=none",
            "/api/v1/nothing")) {
      HttpResponse<String> response = coordinator.get(path);
      assertThat(response.statusCode()).as(path).isEqualTo(404);
      assertConforms(notFound, response);
    }
    for (String path :
        List.of(
            "/api/v1/events?limit=0",
            "/api/v1/events?after=-1",
            "/api/v1/events?limit=many",
            "/api/v1/events?before=0",
            "/api/v1/finished-applications?limit=1001",
            "/api/v1/finished-applications?before=x",
            "/api/v1/applications/app-1/shuffles/-1",
            "/api/v1/applications/app-1/shuffles/x")) {
      HttpResponse<String> response = coordinator.get(path);
      assertThat(response.statusCode()).as(path).isEqualTo(400);
      assertConforms(wrong, response);
    }
  }

  @Test
  void theSchemasRejectOtherFields() {
    Schema schema = schemas.getSchema(SchemaLocation.of(DOCUMENT + "#/components/schemas/Space"));

    assertThat(schema.validate("{\"capacityBytes\":1}", InputFormat.JSON)).isNotEmpty();
    assertThat(
            schema.validate("{\"capacityBytes\":1,\"freeBytes\":1,\"more\":1}", InputFormat.JSON))
        .isNotEmpty();
    assertThat(schema.validate("{\"capacityBytes\":1,\"freeBytes\":1}", InputFormat.JSON))
        .isEmpty();
  }
}
