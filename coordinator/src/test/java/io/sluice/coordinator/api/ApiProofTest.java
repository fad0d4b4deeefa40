package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApiReply;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Authentication of reads over HTTP and over the control port. */
@Timeout(60)
class ApiProofTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path directory;
  private LiveCoordinator coordinator;

  private void start(boolean openReads) throws Exception {
    Path users = directory.resolve("users");
    Files.writeString(
        users, TestUsers.line("ops", "admin", SECRET) + TestUsers.line("eve", "reader", SECRET));
    Map<String, String> settings = new HashMap<>();
    settings.put("rss.security.authentication.enabled", "true");
    settings.putAll(new TestAuthority().files(directory, ProcessRole.COORDINATOR));
    settings.put("rss.security.users.file", users.toString());
    settings.put("rss.security.anonymous.read.enabled", Boolean.toString(openReads));
    coordinator = LiveCoordinator.start(settings);
  }

  @AfterEach
  void stop() throws Exception {
    coordinator.close();
  }

  private int status(String path, String token) throws Exception {
    HttpResponse<String> response =
        coordinator.send(
            (token == null
                    ? coordinator.request(path)
                    : coordinator.request(path).header("Authorization", "Bearer " + token))
                .build());
    return response.statusCode();
  }

  private ApiReply call(String user, String method, String path) throws InterruptedException {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort()).usePlaintext();
    if (user != null) {
      builder.intercept(TestUsers.proofs(user, SECRET));
    }
    ManagedChannel channel = builder.build();
    try {
      return AdminGrpc.newBlockingStub(channel)
          .withDeadlineAfter(20, TimeUnit.SECONDS)
          .call(ApiCall.newBuilder().setMethod(method).setPath("/api/v1/" + path).build());
    } finally {
      channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void readsNeedAuthenticationOverHttp() throws Exception {
    start(false);

    assertThat(status("/api/v1/cluster", null)).isEqualTo(401);
    assertThat(status("/api/v1/events", null)).isEqualTo(401);
    assertThat(status("/api/v1/cluster", "eve:" + SECRET)).isEqualTo(200);
    assertThat(status("/api/v1/cluster", "eve:" + SECRET + "x")).isEqualTo(401);
    for (String open :
        new String[] {
          "/",
          "/ui/main.js",
          "/metrics",
          "/healthz",
          "/readyz",
          "/api/v1/openapi.yaml",
          "/api/v1/caller"
        }) {
      assertThat(status(open, null)).as(open).isEqualTo(200);
    }
  }

  @Test
  void allowsAnonymousReadsIfEnabled() throws Exception {
    start(true);

    assertThat(status("/api/v1/cluster", null)).isEqualTo(200);
    assertThat(call(null, "GET", "cluster").getStatus()).isEqualTo(200);
    assertThat(call(null, "POST", "reload").getStatus()).isEqualTo(401);
  }

  @Test
  void refusesUnauthenticatedReadsUnderPublicHostNames() throws Exception {
    start(true);

    for (String path : new String[] {"/api/v1/cluster", "/api/v1/caller", "/api/v1/events"}) {
      assertThat(coordinator.statusUnderName(path, "rebound.example:80")).isEqualTo(421);
      assertThat(coordinator.statusUnderName(path, "localhost:80")).isEqualTo(200);
    }
    assertThat(
            coordinator.statusUnderName(
                "/api/v1/cluster", "proxy.example", "Authorization: Bearer eve:" + SECRET + "\r\n"))
        .isEqualTo(200);
    assertThat(coordinator.statusUnderName("/metrics", "prometheus.example")).isEqualTo(200);
    coordinator.close();

    start(false);
    // Pages behind a proxy then ask for a token.
    assertThat(coordinator.statusUnderName("/api/v1/cluster", "proxy.example")).isEqualTo(401);
    assertThat(coordinator.statusUnderName("/api/v1/caller", "proxy.example")).isEqualTo(200);
  }

  @Test
  void theControlPortAnswersAuthenticatedCallers() throws Exception {
    start(false);

    assertThatThrownBy(() -> call(null, "GET", "cluster"))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("PERMISSION_DENIED: Call: this cluster requires authentication");
    assertThat(call("eve", "GET", "cluster").getBody().toStringUtf8()).startsWith("{\"version\":");
    ApiReply refused = call("eve", "POST", "reload");
    assertThat(refused.getStatus()).isEqualTo(403);
    assertThat(refused.getBody().toStringUtf8()).contains("expected an admin, found user eve");
    assertThat(call("ops", "POST", "reload").getStatus()).isEqualTo(200);
    assertThat(call("ops", "PUT", "reload").getStatus()).isEqualTo(405);
    assertThat(call("ops", "GET", "nothing").getStatus()).isEqualTo(404);
  }

  /** Also with anonymous reads: threads and configurations show paths and addresses. */
  @Test
  void onlyAdminsInspectProcesses() throws Exception {
    start(true);

    for (String path : new String[] {"threads", "configuration"}) {
      assertThat(status("/api/v1/" + path, null)).isEqualTo(401);
      assertThat(status("/api/v1/" + path, "eve:" + SECRET)).isEqualTo(403);
      assertThat(status("/api/v1/" + path, "ops:" + SECRET)).isEqualTo(200);
      assertThat(call(null, "GET", path).getStatus()).isEqualTo(401);
      assertThat(call("eve", "GET", path).getStatus()).isEqualTo(403);
      assertThat(call("ops", "GET", path).getStatus()).isEqualTo(200);
      assertThat(call("eve", "GET", "servers/a:1/" + path).getStatus()).isEqualTo(403);
      assertThat(call("ops", "GET", "servers/a:1/" + path).getStatus()).isEqualTo(404);
    }
  }
}
