package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Authentication of users by client certificates. */
@Timeout(60)
class ApiCertificateTest {
  @TempDir static Path directory;
  private static CoordinatorProcess coordinator;

  @BeforeAll
  static void start() throws Exception {
    TestCertificates.write(directory, "coordinator", "127.0.0.1");
    TestCertificates.writeOfUser(directory, "ops");
    TestCertificates.writeOfUser(directory, "eve");
    TestCertificates.write(directory, "backup", "backup");
    Files.writeString(directory.resolve("users"), "ops admin -\neve reader -\nbackup admin -\n");
    Files.writeString(
        directory.resolve("trust"),
        Files.readString(directory.resolve("ops.crt"))
            + Files.readString(directory.resolve("eve.crt"))
            + Files.readString(directory.resolve("backup.crt")));
    Map<String, String> identity = new TestAuthority().files(directory, ProcessRole.COORDINATOR);
    coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.ofEntries(
                    Map.entry("rss.coordinator.host", "127.0.0.1"),
                    Map.entry("rss.rpc.server.port", "0"),
                    Map.entry("rss.jetty.http.port", "0"),
                    Map.entry("rss.security.authentication.enabled", "true"),
                    Map.entry(
                        "rss.security.identity.file", identity.get("rss.security.identity.file")),
                    Map.entry(
                        "rss.security.authority.file", identity.get("rss.security.authority.file")),
                    Map.entry("rss.security.users.file", file("users")),
                    Map.entry("rss.security.tls.enabled", "true"),
                    Map.entry("rss.security.tls.certificate.file", file("coordinator.crt")),
                    Map.entry("rss.security.tls.key.file", file("coordinator.key")),
                    Map.entry("rss.security.tls.trust.file", file("trust")),
                    Map.entry("rss.security.tls.client.certificates", "REQUIRED"))));
  }

  @AfterAll
  static void stop() {
    if (coordinator != null) {
      coordinator.close();
    }
  }

  private static String file(String name) {
    return directory.resolve(name).toString();
  }

  /**
   * @param user whose certificate is sent; null: none
   */
  private static HttpResponse<String> send(String user, String method, String path)
      throws Exception {
    HttpClient client =
        HttpClient.newBuilder()
            .sslContext(TestTls.caller(directory, "coordinator", Optional.ofNullable(user)).https())
            .build();
    return client.send(
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + coordinator.httpPort() + path))
            .timeout(Duration.ofSeconds(60))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void authenticatesAUserByTheCommonNameOfItsCertificate() throws Exception {
    JsonNode caller = JsonMapper.shared().readTree(send("ops", "GET", "/api/v1/caller").body());

    assertThat(caller.get("user").asString()).isEqualTo("ops");
    assertThat(caller.get("mayChange").asBoolean()).isTrue();
    // Permitted; 404 because the application does not exist.
    assertThat(send("ops", "DELETE", "/api/v1/applications/none").statusCode()).isEqualTo(404);
    assertThat(send("eve", "GET", "/api/v1/cluster").statusCode()).isEqualTo(200);
    assertThat(send("eve", "POST", "/api/v1/reload").statusCode()).isEqualTo(403);
  }

  @Test
  void aHostCertificateDoesNotAuthenticateAUser() throws Exception {
    JsonNode caller = JsonMapper.shared().readTree(send("backup", "GET", "/api/v1/caller").body());

    assertThat(caller.get("mayChange").asBoolean()).isFalse();
    assertThat(send("backup", "GET", "/api/v1/cluster").statusCode()).isEqualTo(401);
    assertThat(send("backup", "POST", "/api/v1/reload").statusCode()).isEqualTo(401);
  }

  @Test
  void probesNeedNoCertificate() throws Exception {
    assertThat(send(null, "GET", "/healthz").statusCode()).isEqualTo(200);
    assertThat(send(null, "GET", "/metrics").statusCode()).isEqualTo(200);
    assertThat(send(null, "GET", "/api/v1/cluster").statusCode()).isEqualTo(401);
  }
}
