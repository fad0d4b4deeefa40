package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.Revocation;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Mutations over HTTP, with the token of an admin. */
@Timeout(60)
class AdminOperationsTest {
  private static final String ADMIN = "ops:0123456789abcdef0123456789abcdef";
  private static final String READER = "eve:fedcba9876543210fedcba9876543210";

  @TempDir Path directory;
  private final Map<String, String> settings = new ConcurrentHashMap<>();
  private Path excluded;
  private LiveCoordinator coordinator;

  @BeforeEach
  void start() throws Exception {
    Path users = directory.resolve("users");
    Files.writeString(
        users,
        TestUsers.line("ops", "admin", "0123456789abcdef0123456789abcdef")
            + TestUsers.line("eve", "reader", "fedcba9876543210fedcba9876543210")
            + TestUsers.line(
                "svc+etl$1@CORP.EXAMPLE", "reader", "fedcba9876543210fedcba9876543210"));
    excluded = directory.resolve("excluded");
    settings.put("rss.security.users.file", users.toString());
    settings.put("rss.coordinator.exclude.nodes.file.path", excluded.toString());
    settings.put("rss.coordinator.data.dir", directory.resolve("data").toString());
    coordinator = LiveCoordinator.start(settings);
  }

  @AfterEach
  void stop() throws Exception {
    coordinator.close();
  }

  private HttpRequest.Builder request(String method, String path, String token, String body) {
    HttpRequest.Builder request =
        coordinator.request("/api/v1/" + path).method(method, BodyPublishers.ofString(body));
    if (method.equals("POST")) {
      request.header("Content-Type", "application/json");
    }
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    return coordinator.send(request(method, path, ADMIN, "").build());
  }

  private JsonNode done(String method, String path) throws Exception {
    HttpResponse<String> response = send(method, path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private void assertRefused(HttpResponse<String> response, int status, String detail) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(response.body()).contains(detail);
    assertThat(response.body().lines()).hasSize(1);
  }

  private String stateOf(String server) throws Exception {
    return done("GET", "servers/" + server).at("/server/state").asString();
  }

  @Test
  void showsUserNamesOfCompaniesUnchanged() throws Exception {
    String user = "svc+etl$1@CORP.EXAMPLE";
    String application = user + "~app-1";
    coordinator.server("a", "/1");
    coordinator.application(application, user);

    // A plus is a plus, encoded or not.
    for (String path : new String[] {user, "svc%2Betl%241%40CORP.EXAMPLE"}) {
      HttpResponse<String> set =
          coordinator.send(
              request("PUT", "quotas/" + path, ADMIN, "{\"applications\":4}")
                  .header("Content-Type", "application/json")
                  .build());
      assertThat(set.statusCode()).as(set.body()).isEqualTo(200);
    }
    JsonNode limits = done("GET", "quotas").get("limitsSet");
    assertThat(limits).hasSize(1);
    assertThat(limits.get(user).get("applications").asLong()).isEqualTo(4);

    assertThat(done("GET", "applications/" + application).at("/application/user").asString())
        .isEqualTo(user);
    assertThat(done("GET", "events?application=" + application).get("events")).isNotEmpty();
    assertThat(coordinator.get("/metrics").body()).contains("user=\"" + user + "\"");
    HttpResponse<String> caller =
        coordinator.send(
            request("GET", "caller", user + ":fedcba9876543210fedcba9876543210", "").build());
    assertThat(JsonMapper.shared().readTree(caller.body()).get("user").asString()).isEqualTo(user);
  }

  @Test
  void anExclusionSurvivesARestart() throws Exception {
    Files.writeString(excluded, "# by hand\nother:9 # broken\n");
    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
    coordinator.server("a", "/1");
    coordinator.server("b", "/1");

    JsonNode list = done("POST", "servers/a:1/exclusion");

    assertThat(list.get("entries").toString()).isEqualTo("[\"a:1\",\"other:9\"]");
    assertThat(list.get("file").asString()).isEqualTo(excluded.toString());
    assertThat(list.get("kept").asBoolean()).isTrue();
    assertThat(stateOf("a:1")).isEqualTo("EXCLUDED");
    assertThat(stateOf("b:1")).isEqualTo("ACTIVE");
    assertThat(done("GET", "events?server=a:1").at("/events/0/kind").asString())
        .isEqualTo("SERVER_EXCLUDED");

    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
    coordinator.server("a", "/1");
    assertThat(stateOf("a:1")).isEqualTo("EXCLUDED");
    assertThat(done("GET", "events?server=a:1").toString()).contains("SERVER_EXCLUDED");

    done("DELETE", "servers/a:1/exclusion");
    assertThat(stateOf("a:1")).isEqualTo("ACTIVE");
    assertThat(done("GET", "events?server=a:1").at("/events/0/kind").asString())
        .isEqualTo("SERVER_INCLUDED");
    assertThat(Files.readString(excluded)).isEqualTo("# by hand\nother:9 # broken\n");
  }

  @Test
  void excludesAndIncludesAHost() throws Exception {
    coordinator.server("a", "/1");
    done("POST", "servers/a/exclusion");
    assertThat(stateOf("a:1")).isEqualTo("EXCLUDED");

    assertRefused(send("DELETE", "servers/a:1/exclusion"), 409, "include the host a");

    done("DELETE", "servers/a/exclusion");
    assertThat(stateOf("a:1")).isEqualTo("ACTIVE");
  }

  @Test
  void excludesAndIncludesAnIpv6Server() throws Exception {
    coordinator.server("2001:db8::7", "/1");
    String server = "servers/%5B2001%3Adb8%3A%3A7%5D%3A1";

    JsonNode list = done("POST", "servers/%5B2001:DB8:0::7%5D:1/exclusion");
    assertThat(list.get("entries").toString()).isEqualTo("[\"[2001:db8::7]:1\"]");
    assertThat(done("GET", server).at("/server/state").asString()).isEqualTo("EXCLUDED");
    done("DELETE", "servers/%5B2001:DB8:0::7%5D:1/exclusion");
    assertThat(done("GET", server).at("/server/state").asString()).isEqualTo("ACTIVE");

    done("POST", "servers/%5B2001:DB8::7%5D/exclusion");
    assertThat(done("GET", server).at("/server/state").asString()).isEqualTo("EXCLUDED");
    done("DELETE", "servers/2001:db8::7/exclusion");
    assertThat(done("GET", server).at("/server/state").asString()).isEqualTo("ACTIVE");
  }

  @Test
  void refusesToExcludeOrIncludeAnUnknownServer() throws Exception {
    assertRefused(send("POST", "servers/none:1/exclusion"), 404, "unknown server or host");
    assertRefused(send("DELETE", "servers/none:1/exclusion"), 404, "neither a known server");
    assertThat(excluded).doesNotExist();
  }

  @Test
  void refusesToIncludeAnEntryOfTheExcludeFile() throws Exception {
    Files.writeString(excluded, "a:1\n");
    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
    coordinator.server("a", "/1");
    done("POST", "servers/a:1/exclusion");

    assertRefused(send("DELETE", "servers/a:1/exclusion"), 409, excluded.toString());

    assertThat(stateOf("a:1")).isEqualTo("EXCLUDED");
  }

  @Test
  void withoutADataDirectoryAnExclusionIsLostAtARestart() throws Exception {
    coordinator.close();
    settings.remove("rss.coordinator.exclude.nodes.file.path");
    settings.remove("rss.coordinator.data.dir");
    coordinator = LiveCoordinator.start(settings);
    coordinator.server("a", "/1");

    JsonNode list = done("POST", "servers/a:1/exclusion");

    assertThat(list.get("file").isNull()).isTrue();
    assertThat(list.get("kept").asBoolean()).isFalse();
    assertThat(stateOf("a:1")).isEqualTo("EXCLUDED");
    assertThat(done("DELETE", "servers/a:1/exclusion").get("entries")).isEmpty();
    assertThat(stateOf("a:1")).isEqualTo("ACTIVE");
  }

  @Test
  void aSecondCoordinatorDoesNotStartOnTheSameDirectory() {
    assertThatThrownBy(() -> LiveCoordinator.start(settings))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("rss.coordinator.data.dir: " + directory.resolve("data"))
        .hasMessageContaining("used by another process");
  }

  @Test
  void limitsOfAUserOverrideTheRulesAndSurviveARestart() throws Exception {
    settings.put("rss.coordinator.quota.default.app.num", "3");
    done("POST", "reload");
    coordinator.application("one", "ann");

    HttpResponse<String> set =
        coordinator.send(
            request("PUT", "quotas/ann", ADMIN, "{\"applications\":1,\"bytes\":1024}")
                .header("Content-Type", "application/json")
                .build());
    assertThat(set.statusCode()).as(set.body()).isEqualTo(200);

    coordinator.application("two", "ann");
    assertThat(done("GET", "applications").get("applications")).hasSize(1);
    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
    coordinator.application("one", "ann");
    coordinator.application("two", "ann");
    JsonNode quotas = done("GET", "quotas");
    assertThat(quotas.at("/users/0/applications").toString()).isEqualTo("{\"used\":1,\"max\":1}");
    assertThat(quotas.at("/users/0/bytes/max").asLong()).isEqualTo(1024);
    assertThat(quotas.at("/limitsSet/ann/applications").asLong()).isEqualTo(1);
    assertThat(quotas.at("/limitsSet/ann/partitions").isNull()).isTrue();

    done("DELETE", "quotas/ann");
    coordinator.application("two", "ann");
    assertThat(done("GET", "quotas").at("/users/0/applications").toString())
        .isEqualTo("{\"used\":2,\"max\":3}");
  }

  @Test
  void refusesInvalidLimits() throws Exception {
    for (String wrong : new String[] {"", "{}", "[]", "{\"bytes\":-2}", "{\"byte\":1}"}) {
      assertRefused(
          coordinator.send(
              request("PUT", "quotas/ann", ADMIN, wrong)
                  .header("Content-Type", "application/json")
                  .build()),
          400,
          "applicationBytes");
    }
    assertThat(done("GET", "quotas").get("limitsSet")).isEmpty();
  }

  @Test
  void deletesAnApplication() throws Exception {
    coordinator.application("app", "ann");

    assertThat(done("DELETE", "applications/app").get("text").asString()).contains("app");

    assertThat(done("GET", "applications/app").at("/application/state").asString())
        .isEqualTo("ENDED");
    assertRefused(send("DELETE", "applications/app"), 404, "unknown or ended application");
  }

  private void restartWithIdentity() throws Exception {
    settings.putAll(new TestAuthority().files(directory, ProcessRole.COORDINATOR));
    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
  }

  @Test
  void aRevocationSurvivesARestartAndReachesServersOnce() throws Exception {
    restartWithIdentity();
    long beforeMs = System.currentTimeMillis();

    assertThat(done("POST", "users/eve/revocation").get("text").asString())
        .startsWith("tokens of user eve issued until ");

    coordinator.close();
    coordinator = LiveCoordinator.start(settings);
    JsonNode list = done("GET", "revocations");
    assertThat(list.get("kept").asBoolean()).isTrue();
    assertThat(list.get("revocations")).hasSize(1);
    JsonNode revocation = list.at("/revocations/0");
    assertThat(revocation.get("subject").asString()).isEqualTo("user");
    assertThat(revocation.get("name").asString()).isEqualTo("eve");
    long revokedAtMs = revocation.get("revokedAt").asLong();
    assertThat(revokedAtMs).isGreaterThanOrEqualTo(beforeMs);
    assertThat(revocation.get("expiry").asLong())
        .isEqualTo(revokedAtMs + Duration.ofDays(7).toMillis());
    assertThat(done("GET", "events").at("/events/0/kind").asString()).isEqualTo("TOKENS_REVOKED");

    HeartbeatRequest.Builder beat =
        HeartbeatRequest.newBuilder()
            .setServer(Servers.id("a", 1))
            .setState(ServerState.ACTIVE)
            .setLoad(Servers.idleLoad());
    HeartbeatReply first = coordinator.client().heartbeat(beat.build());
    assertThat(first.getRevocationsList())
        .containsExactly(
            Revocation.newBuilder()
                .setSubject(Revocation.Subject.USER)
                .setName("eve")
                .setRevokedAtMs(revokedAtMs)
                .setExpiryMs(revocation.get("expiry").asLong())
                .build());
    HeartbeatReply second =
        coordinator
            .client()
            .heartbeat(beat.setRevocationsRevision(first.getRevocationsRevision()).build());
    assertThat(second.getRevocationsRevision()).isEqualTo(first.getRevocationsRevision());
    assertThat(second.getRevocationsList()).isEmpty();
  }

  @Test
  void revokingAnApplicationEndsIt() throws Exception {
    restartWithIdentity();
    coordinator.application("ann~app", "ann");

    done("POST", "applications/ann~app/revocation");
    // Also one that this coordinator does not know: other coordinators may have issued its tokens.
    done("POST", "applications/ann~other/revocation");

    assertThat(done("GET", "applications/ann~app").at("/application/state").asString())
        .isEqualTo("ENDED");
    assertThat(done("GET", "revocations").at("/revocations/0/name").asString())
        .isEqualTo("ann~app");
    assertThat(done("GET", "revocations").at("/revocations/1/name").asString())
        .isEqualTo("ann~other");
    assertRefused(send("POST", "applications/a%20b/revocation"), 400, "application id");
    assertRefused(send("POST", "users/a%20b/revocation"), 400, "name of a user: expected");
  }

  @Test
  void refusesRevocationsWhereNoTokensAreIssued() throws Exception {
    assertRefused(send("POST", "users/eve/revocation"), 409, "issues no tokens");
    assertThat(done("GET", "revocations").get("revocations")).isEmpty();
  }

  @Test
  void refusesRevocationsBeyondTheMaximum() throws Exception {
    restartWithIdentity();
    for (int i = 0; i < 1_000; i++) {
      done("POST", "users/u" + i + "/revocation");
    }

    assertRefused(send("POST", "users/one-more/revocation"), 409, "1000 revocations, the maximum");
    // An earlier revocation can be replaced.
    done("POST", "users/u0/revocation");

    assertThat(done("GET", "revocations").get("revocations")).hasSize(1_000);
  }

  @Test
  void sendsADecommissionToTheServer() throws Exception {
    try (FakeServer server = new FakeServer()) {
      coordinator.client().heartbeat(server.heartbeat());
      String path = "servers/" + server.name() + "/decommission";

      HttpResponse<String> begun =
          coordinator.send(
              request("POST", path, ADMIN, "{\"deadlineMs\":60000,\"move\":true}").build());
      assertThat(stateOf(server.name())).isEqualTo("SERVER_DRAINING");
      coordinator.close();
      coordinator = LiveCoordinator.start(settings);
      coordinator.client().heartbeat(server.heartbeat());
      JsonNode order = done("GET", "servers/" + server.name()).get("decommission");
      assertThat(order.get("deadlineMs").asLong()).isEqualTo(60_000);
      assertThat(order.get("move").asBoolean()).isTrue();
      assertThat(stateOf(server.name())).isEqualTo("SERVER_DRAINING");
      done("DELETE", path);
      assertThat(done("GET", "servers/" + server.name()).get("decommission").isNull()).isTrue();

      assertThat(begun.statusCode()).as(begun.body()).isEqualTo(200);
      assertThat(server.wishes().get(0).getDeadlineMs()).isEqualTo(60_000);
      assertThat(server.wishes().get(0).getMove()).isTrue();
      assertThat(server.wishes().get(1).getCancel()).isTrue();
      assertRefused(
          coordinator.send(request("POST", path, ADMIN, "{\"deadlineMs\":13}").build()),
          409,
          "already stopping");
      for (String wrong : new String[] {"[]", "{\"deadline\":1}", "{", "{\"deadlineMs\":-1}"}) {
        assertRefused(
            coordinator.send(request("POST", path, ADMIN, wrong).build()), 400, "deadlineMs");
      }
      assertThat(
              done("POST", "servers/" + server.name() + "/reload").at("/applied/0/key").asString())
          .isEqualTo("rss.a");
    }
  }

  @Test
  void showsThreadsAndConfigurationOfAServer() throws Exception {
    try (FakeServer server = new FakeServer()) {
      assertThat(coordinator.client().heartbeat(server.heartbeat())).isNotNull();

      JsonNode threads = done("GET", "servers/" + server.name() + "/threads");
      JsonNode configuration = done("GET", "servers/" + server.name() + "/configuration");

      assertThat(threads.get("threads").toString())
          .isEqualTo(
              "[{\"name\":\"spill-disk-0\",\"id\":7,\"state\":\"BLOCKED\",\"cpuMs\":null,"
                  + "\"waitsFor\":\"a lock\",\"owner\":\"merge-0\","
                  + "\"frames\":[\"io.sluice.Spiller.write(Spiller.java:1)\"]}]");
      assertThat(threads.get("omitted").asInt()).isEqualTo(2);
      assertThat(configuration.get("settings").toString())
          .isEqualTo("[{\"key\":\"rss.a\",\"value\":\"1\",\"source\":\"server.conf:3\"}]");
    }
    assertRefused(send("GET", "servers/none:1/threads"), 404, "unknown server");
  }

  @Test
  void showsThreadsAndConfigurationOfTheCoordinator() throws Exception {
    settings.put("rss.coordinator.app.max", "77");
    done("POST", "reload");

    JsonNode threads = done("GET", "threads").get("threads");
    JsonNode configuration = done("GET", "configuration").get("settings");

    assertThat(threads.valueStream().map(thread -> thread.get("name").asString()))
        .contains("coordinator-state");
    assertThat(configuration.valueStream().map(JsonNode::toString))
        .contains(
            "{\"key\":\"rss.coordinator.app.max\",\"value\":\"77\",\"source\":\"configuration\"}",
            "{\"key\":\"rss.coordinator.app.expired\",\"value\":\"1m\",\"source\":\"default\"}")
        .hasSize(CoordinatorConfig.SCHEMA.keys().size());
  }

  @Test
  void reportsAnUnreachableServer() throws Exception {
    coordinator.server("127.0.0.1", "/1");

    assertRefused(
        send("POST", "servers/127.0.0.1:1/decommission"), 502, "call of server 127.0.0.1:1 failed");
    assertRefused(send("POST", "servers/none:1/decommission"), 404, "unknown server");
  }

  @Test
  void aReloadAppliesReloadableKeysAndListsTheOthers() throws Exception {
    settings.put("rss.coordinator.quota.default.app.num", "1");
    settings.put("rss.coordinator.app.expired", "90s");
    settings.put("rss.coordinator.connections.max", "20001");

    JsonNode outcome = done("POST", "reload");

    assertThat(outcome.get("applied").toString())
        .isEqualTo(
            "[{\"key\":\"rss.coordinator.app.expired\",\"from\":\"1m\",\"to\":\"90s\"},"
                + "{\"key\":\"rss.coordinator.quota.default.app.num\",\"from\":\"-1\",\"to\":\"1\"}]");
    assertThat(outcome.get("restartNeeded").toString())
        .isEqualTo(
            "[{\"key\":\"rss.coordinator.connections.max\",\"from\":\"20000\",\"to\":\"20001\"}]");
    coordinator.application("one", "ann");
    assertThat(done("GET", "applications/one").at("/application/leaseRemainingMs").asLong())
        .isBetween(60_001L, 90_000L);
    coordinator.application("two", "ann");
    assertThat(done("GET", "events").at("/events/0/kind").asString())
        .isEqualTo("APPLICATION_DENIED");
    assertThat(done("GET", "events").toString()).contains("CONFIGURATION_RELOADED");
    // A key that needs a restart is listed until the restart.
    assertThat(done("POST", "reload").get("restartNeeded")).hasSize(1);
  }

  @Test
  void returnsUsageAndLimitsOfUsers() throws Exception {
    settings.put("rss.coordinator.quota.default.app.num", "3");
    done("POST", "reload");
    coordinator.application("one", "ann");
    coordinator.application("two", "ann");

    JsonNode user = done("GET", "quotas").at("/users/0");

    assertThat(user.get("user").asString()).isEqualTo("ann");
    assertThat(user.get("applications").toString()).isEqualTo("{\"used\":2,\"max\":3}");
    assertThat(user.get("bytes").get("max").isNull()).isTrue();
    assertThat(user.get("overQuota")).isEmpty();
  }

  @Test
  void anInvalidConfigurationChangesNothing() throws Exception {
    settings.put("rss.coordinator.quota.default.app.num", "0");
    settings.put("rss.coordinator.shuffle.nodes.max", "many");

    assertRefused(send("POST", "reload"), 409, "rss.coordinator.shuffle.nodes.max");

    coordinator.application("app", "ann");
    assertThat(done("GET", "applications").get("applications")).hasSize(1);
  }

  @Test
  void onlyAdminsMayUseMutations() throws Exception {
    coordinator.server("a", "/1");
    String path = "servers/a:1/exclusion";
    assertRefused(
        coordinator.send(request("POST", path, null, "").build()), 401, "Bearer USER:SECRET");
    assertRefused(
        coordinator.send(request("POST", path, READER, "").build()), 403, "expected an admin");
    for (String wrong :
        new String[] {ADMIN + "0", "ops.", "ops", ".x", "none.0123456789abcdef01", "", "a b"}) {
      HttpResponse<String> response = coordinator.send(request("POST", path, wrong, "").build());
      assertRefused(response, 401, "unknown user or wrong secret");
      assertThat(response.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
    }
    assertThat(stateOf("a:1")).isEqualTo("ACTIVE");
  }

  @Test
  void refusesCrossOriginRequests() throws Exception {
    coordinator.server("a", "/1");
    String path = "servers/a:1/exclusion";
    assertRefused(
        coordinator.send(
            request("POST", path, ADMIN, "").header("Sec-Fetch-Site", "cross-site").build()),
        403,
        "cross-origin request refused");
    assertRefused(
        coordinator.send(
            request("POST", path, ADMIN, "").header("Origin", "http://evil.example").build()),
        403,
        "cross-origin request refused");
    HttpRequest form =
        coordinator
            .request("/api/v1/" + path)
            .header("Authorization", "Bearer " + ADMIN)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    assertRefused(coordinator.send(form), 415, "application/json");
    assertRefused(
        coordinator.send(request("POST", path, ADMIN, " ".repeat(20_000)).build()), 413, "16384");
    assertThat(stateOf("a:1")).isEqualTo("ACTIVE");
    assertThat(
            coordinator
                .send(
                    request("POST", path, ADMIN, "")
                        .header("Sec-Fetch-Site", "same-origin")
                        .build())
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void refusesMutationsOverHttpWithoutUsers() throws Exception {
    coordinator.close();
    settings.remove("rss.security.users.file");
    coordinator = LiveCoordinator.start(settings);
    coordinator.server("a", "/1");

    HttpResponse<String> refused =
        coordinator.send(request("POST", "servers/a:1/exclusion", null, "").build());

    assertRefused(refused, 403, "sluice admin");
    JsonNode caller = JsonMapper.shared().readTree(coordinator.get("/api/v1/caller").body());
    assertThat(caller.get("mayRead").asBoolean()).isTrue();
    assertThat(caller.get("mayChange").asBoolean()).isFalse();
    assertThat(caller.get("tokens").asBoolean()).isFalse();
  }
}
