package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Resources of the REST API. */
@Timeout(60)
class ApiTest {
  private LiveCoordinator coordinator;

  @BeforeEach
  void start() throws Exception {
    coordinator = LiveCoordinator.start();
  }

  @AfterEach
  void stop() throws Exception {
    coordinator.close();
  }

  private JsonNode json(String path) throws Exception {
    return read(coordinator, path);
  }

  private static JsonNode read(LiveCoordinator from, String path) throws Exception {
    HttpResponse<String> response = from.get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  @Test
  void returnsAnEmptyCluster() throws Exception {
    assertThat(json("/api/v1/cluster").at("/serversByState/ACTIVE").asInt()).isZero();
    assertThat(json("/api/v1/servers").get("servers")).isEmpty();
    assertThat(json("/api/v1/applications").get("applications")).isEmpty();
    assertThat(json("/api/v1/balance").get("maxOverMean").isNull()).isTrue();
    assertThat(json("/api/v1/events").get("events")).isEmpty();
  }

  @Test
  void advisesTheNumberOfServers() throws Exception {
    assertThat(json("/api/v1/scale-advice").get("neededServers").asInt()).isZero();
    coordinator.server("a", "/1");

    JsonNode advice = json("/api/v1/scale-advice");
    assertThat(advice.get("activeServers").asInt()).isEqualTo(1);
    assertThat(advice.at("/resources/0/resource").asString()).isEqualTo("MEMORY");
    assertThat(coordinator.get("/metrics").body())
        .contains(
            "sluice_coordinator_needed_servers{resource=\"DISK\",} "
                + advice.at("/resources/1/neededServers").asDouble());
  }

  @Test
  void sumsUpTheDataOfAnApplication() throws Exception {
    coordinator.server("a", "/1");
    coordinator.server("b", "/1");
    coordinator.application("app", "ann");
    coordinator.shuffle("app", 0, 40);
    coordinator.stored("a", "app", 0, 3000, 10, 900);
    coordinator.stored("b", "app", 0, 1000, 10, 100);

    JsonNode application = json("/api/v1/applications/app").get("application");
    assertThat(application.get("storedBytes").asLong()).isEqualTo(4000);
    assertThat(application.get("servers").asInt()).isEqualTo(2);
    // The largest partition has 900 bytes, the mean one 4000 / 20.
    assertThat(application.get("skew").asDouble()).isEqualTo(4.5);

    JsonNode shuffle = json("/api/v1/applications/app/shuffles/0");
    assertThat(shuffle.at("/shuffle/largestPartitionBytes").asLong()).isEqualTo(900);
    assertThat(shuffle.at("/shuffle/partitions").asInt()).isEqualTo(40);
    assertThat(shuffle.at("/servers/0/server").asString()).isEqualTo("a:1");
    int assigned =
        shuffle.at("/servers/0/partitionsAssigned").asInt()
            + shuffle.at("/servers/1/partitionsAssigned").asInt();
    assertThat(assigned).isEqualTo(40);
  }

  @Test
  void returnsFallbacksThatDriversReported() throws Exception {
    coordinator.application("app", "ann");
    coordinator.fallbacks("app", 7, "NO_SERVERS: none\nis there");

    JsonNode application = json("/api/v1/applications").at("/applications/0");
    assertThat(application.get("fallbackShuffles").asInt()).isEqualTo(7);
    assertThat(application.get("lastFallbackReason").asString())
        .isEqualTo("NO_SERVERS: none is there");
    assertThat(json("/api/v1/cluster").get("fallbackShuffles").asInt()).isEqualTo(7);
  }

  @Test
  void countsFallbacksByReasonInMetrics() throws Exception {
    for (String name : new String[] {"one", "two", "odd"}) {
      coordinator.application(name, "ann");
    }
    coordinator.fallbacks("one", 7, "NO_SERVERS: none is there");
    coordinator.fallbacks("two", 4, "NO_SERVERS: none is there");
    coordinator.fallbacks("odd", 2, "A_REASON_OF_A_LATER_VERSION: unknown");

    assertThat(coordinator.get("/metrics").body())
        .contains("sluice_coordinator_fallback_shuffles{reason=\"NO_SERVERS\",} 11.0")
        .contains("sluice_coordinator_fallback_shuffles{reason=\"DENIED\",} 0.0")
        .contains("sluice_coordinator_fallback_shuffles{reason=\"OTHER\",} 2.0");
  }

  @Test
  void returnsTheReceiptsThatDriversReported() throws Exception {
    coordinator.server("a", "/1");
    coordinator.application("app", "ann");
    coordinator.shuffle("app", 3, 40);
    coordinator.shuffle("app", 4, 40);
    assertThat(json("/api/v1/applications/app/shuffles/3").at("/shuffle/receipts").isNull())
        .isTrue();

    coordinator.receipts("app", 0, java.util.stream.IntStream.range(0, 1000).toArray());
    coordinator.receipts("app", 5, 3);
    coordinator.receipts("other", 5, 4);

    JsonNode receipts = json("/api/v1/applications/app/shuffles/3").at("/shuffle/receipts");
    assertThat(receipts.get("records").asLong()).isEqualTo(3);
    assertThat(receipts.get("bytes").asLong()).as("never negative").isZero();
    assertThat(receipts.get("matched").asLong()).isEqualTo(6);
    assertThat(receipts.get("wrong").asLong()).isEqualTo(5);
    assertThat(json("/api/v1/applications/app/shuffles/4").at("/shuffle/receipts").isNull())
        .as("a report replaces the one before")
        .isTrue();
  }

  @Test
  void explainsAnApplicationAlsoAfterItsEnd() throws Exception {
    coordinator.server("a", "/1");
    coordinator.application("app", "ann");
    coordinator.stored("a", "app", 3, 1000, 10, 900);
    JsonNode before = json("/api/v1/applications/app/explanation");
    assertThat(before.get("reported").asBoolean()).isFalse();
    assertThat(before.get("causes")).isEmpty();
    assertThat(before.at("/skewedShuffles/0/skew").asDouble()).isEqualTo(9);

    coordinator.tasks("app", "a:1", 8_000);
    JsonNode running = json("/api/v1/applications/app/explanation");
    assertThat(running.get("pushedBytes").asLong()).isEqualTo(1000);
    assertThat(running.at("/causes/0/cause").asString()).isEqualTo("DISK");
    assertThat(running.at("/causes/0/taskMs").asLong()).isEqualTo(8_000);
    assertThat(running.at("/causes/0/jobMs").asLong()).isEqualTo(2_000);
    assertThat(running.at("/servers/0/diskWaitMs").asLong()).isEqualTo(8_000);

    coordinator.end("app", "a:1", 9_000);
    JsonNode ended = json("/api/v1/applications/app/explanation");
    assertThat(ended.get("reported").asBoolean()).isTrue();
    assertThat(ended.at("/causes/0/taskMs").asLong()).isEqualTo(9_000);
    assertThat(coordinator.get("/api/v1/applications/none/explanation").statusCode())
        .isEqualTo(404);
  }

  @Test
  void returnsFinishedApplicationsInPages() throws Exception {
    for (String name : new String[] {"a-1", "a-2", "b-1"}) {
      coordinator.application(name, name.startsWith("a") ? "ann" : "bob");
    }
    coordinator.tasks("a-1", "a:1", 7_000);
    coordinator.fallbacks("a-2", 3, "NO_SERVERS: none is there");
    coordinator.end("a-1");
    coordinator.end("a-2");
    coordinator.end("b-1", "a:1", 9_000);

    JsonNode first = json("/api/v1/finished-applications?limit=2");
    JsonNode second = json("/api/v1/finished-applications?limit=2&before=" + first.get("next"));

    assertThat(first.at("/applications/0/name").asString()).isEqualTo("b-1");
    assertThat(first.at("/applications/0/outcome").asString()).isEqualTo("ENDED");
    assertThat(first.at("/applications/0/pushedBytes").asLong()).isEqualTo(1000);
    assertThat(first.at("/applications/1/fallbackShuffles").asInt()).isEqualTo(3);
    assertThat(first.at("/applications/1/reported").asBoolean()).isFalse();
    assertThat(second.get("applications")).hasSize(1);
    assertThat(second.at("/applications/0/name").asString()).isEqualTo("a-1");
    assertThat(second.at("/applications/0/pushedBytes").asLong()).isEqualTo(1000);
    assertThat(second.get("next").isNull()).isTrue();
    assertThat(json("/api/v1/finished-applications?user=ann").get("applications")).hasSize(2);
    assertThat(json("/api/v1/finished-applications?user=an").get("applications")).isEmpty();
    assertThat(json("/api/v1/finished-applications?contains=-2").get("applications")).hasSize(1);
    assertThat(json("/api/v1/finished-applications?contains=bo").get("applications")).hasSize(1);
  }

  @Test
  void returnsEventsInPages() throws Exception {
    for (int i = 1; i <= 5; i++) {
      coordinator.application("app-" + i, "ann");
    }

    JsonNode first = json("/api/v1/events?limit=3");
    JsonNode second = json("/api/v1/events?limit=3&before=" + first.get("next"));

    assertThat(first.at("/events/2/number").asLong()).isEqualTo(3);
    assertThat(second.at("/events/0/number").asLong()).isEqualTo(2);
    assertThat(second.get("events")).hasSize(2);
    assertThat(second.get("next").isNull()).isTrue();
  }

  @Test
  void finishedApplicationsSurviveARestart(@TempDir Path directory) throws Exception {
    Map<String, String> settings = Map.of("rss.coordinator.data.dir", directory.toString());
    try (LiveCoordinator first = LiveCoordinator.start(settings)) {
      first.application("app", "ann");
      first.end("app", "a:1", 8_000);
    }
    try (LiveCoordinator second = LiveCoordinator.start(settings)) {
      JsonNode list = read(second, "/api/v1/finished-applications");
      assertThat(list.at("/applications/0/name").asString()).isEqualTo("app");
      JsonNode explained = read(second, "/api/v1/applications/app/explanation");
      assertThat(explained.get("reported").asBoolean()).isTrue();
      assertThat(explained.at("/causes/0/cause").asString()).isEqualTo("DISK");
      JsonNode events = read(second, "/api/v1/events?application=app");
      assertThat(events.at("/events/0/kind").asString()).isEqualTo("APPLICATION_ENDED");
    }
  }

  /** An expired application leaves the list of applications at once. */
  @Test
  void showsAnApplicationThatExpired() throws Exception {
    try (LiveCoordinator brief =
        LiveCoordinator.start(Map.of("rss.coordinator.app.expired", "100ms"))) {
      brief.application("app", "ann");
      while (read(brief, "/api/v1/finished-applications").get("applications").isEmpty()) {
        Thread.onSpinWait();
      }

      JsonNode application = read(brief, "/api/v1/applications/app").get("application");
      assertThat(application.get("state").asString()).isEqualTo("EXPIRED");
      assertThat(application.get("user").asString()).isEqualTo("ann");
      assertThat(application.get("registeredAgeMs").asLong()).isPositive();
      assertThat(read(brief, "/api/v1/applications/app/shuffles").get("shuffles")).isEmpty();
      assertThat(read(brief, "/api/v1/applications/app/explanation").get("reported").asBoolean())
          .isFalse();
    }
  }

  @Test
  void filtersEventsByServerOrApplication() throws Exception {
    coordinator.server("a", "/1");
    coordinator.application("app", "ann");
    coordinator.denied("app", "bob");

    assertThat(json("/api/v1/events").get("events")).hasSize(3);
    assertThat(json("/api/v1/events?server=a:1").at("/events/0/kind").asString())
        .isEqualTo("SERVER_JOINED");
    JsonNode denied = json("/api/v1/events?application=app&limit=1").at("/events/0");
    assertThat(denied.get("kind").asString()).isEqualTo("APPLICATION_DENIED");
    assertThat(denied.get("severity").asString()).isEqualTo("WARN");
    long newest = json("/api/v1/events").at("/events/0/number").asLong();
    assertThat(json("/api/v1/events?after=" + newest).get("events")).isEmpty();
  }

  @Test
  void returnsHostileTextAsText() throws Exception {
    coordinator.server("a", LiveCoordinator.HOSTILE);
    coordinator.application("app", LiveCoordinator.HOSTILE);

    assertThat(json("/api/v1/servers").at("/servers/0/disks/0/path").asString())
        .isEqualTo(LiveCoordinator.HOSTILE);
    assertThat(json("/api/v1/applications").at("/applications/0/user").asString())
        .isEqualTo(LiveCoordinator.HOSTILE);
    HttpResponse<String> response = coordinator.get("/api/v1/applications");
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
  }

  @Test
  void everyReplyForbidsOtherPagesAndScripts() throws Exception {
    for (String path : new String[] {"/", "/api/v1/cluster", "/metrics", "/nothing"}) {
      HttpResponse<String> response = coordinator.get(path);
      assertThat(response.headers().firstValue("Content-Security-Policy").orElse(""))
          .as(path)
          .contains("default-src 'none'", "script-src 'self';", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  @Test
  void returnsTheAllowedMethodsOfAPath() throws Exception {
    for (String method : new String[] {"POST", "PUT", "DELETE", "OPTIONS"}) {
      HttpResponse<String> response =
          coordinator.send(
              coordinator
                  .request("/api/v1/servers")
                  .header("Content-Type", "application/json")
                  .method(method, HttpRequest.BodyPublishers.noBody())
                  .build());
      assertThat(response.statusCode()).as(method).isEqualTo(405);
      assertThat(response.headers().firstValue("Allow")).contains("GET");
      assertThat(response.body().lines()).hasSize(1);
    }
    HttpResponse<String> head =
        coordinator.send(
            coordinator
                .request("/api/v1/servers")
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void servesOnlyThePagesOfTheClassPath() throws Exception {
    HttpResponse<String> page = coordinator.get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("/ui/main.js");
    assertThat(coordinator.get("/ui/lib/chart.umd.min.js").statusCode()).isEqualTo(200);
    for (String path :
        new String[] {
          "/ui/",
          "/ui/../openapi.yaml",
          "/ui/%2e%2e/openapi.yaml",
          "/ui/lib/../main.js",
          "//etc/passwd"
        }) {
      assertThat(coordinator.get(path).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void doesNotSendAnUnchangedPageAgain() throws Exception {
    String tag = coordinator.get("/ui/main.js").headers().firstValue("ETag").orElseThrow();

    HttpResponse<String> again =
        coordinator.send(coordinator.request("/ui/main.js").header("If-None-Match", tag).build());

    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }
}
