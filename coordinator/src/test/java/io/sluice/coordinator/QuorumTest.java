package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.rpc.AllCalls;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three coordinators with authentication and a quorum, in this process. The clock of the first one
 * is a minute fast, that of the last one a minute slow.
 */
@Timeout(120)
class QuorumTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path directory;
  private final TestAuthority authority = new TestAuthority();
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<CoordinatorProcess> coordinators = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    Path users = directory.resolve("users");
    Files.writeString(
        users, TestUsers.line("ann", "user", SECRET) + TestUsers.line("ops", "admin", SECRET));
    List<Integer> ports = freePorts();
    String quorum =
        ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    for (int port : ports) {
      Map<String, String> settings = new HashMap<>();
      settings.put("rss.coordinator.host", "127.0.0.1");
      settings.put("rss.rpc.server.port", Integer.toString(port));
      settings.put("rss.jetty.http.port", "0");
      settings.put("rss.coordinator.quorum", quorum);
      settings.put("rss.coordinator.data.dir", directory.resolve("data-" + port).toString());
      settings.put("rss.security.authentication.enabled", "true");
      settings.putAll(
          authority.files(
              Files.createDirectories(directory.resolve("identity-" + port)),
              ProcessRole.COORDINATOR));
      settings.put("rss.security.users.file", users.toString());
      coordinators.add(
          SkewedCoordinator.start(
              ConfigSet.of(CoordinatorConfig.SCHEMA, settings),
              Duration.ofMinutes(1L - coordinators.size())));
    }
  }

  private static List<Integer> freePorts() throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      sockets.add(socket);
      ports.add(socket.getLocalPort());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return ports;
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
    coordinators.forEach(CoordinatorProcess::close);
  }

  private ManagedChannel channel(CoordinatorProcess coordinator, ClientInterceptor... proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    channels.add(channel);
    return channel;
  }

  private CoordinatorGrpc.CoordinatorBlockingStub stub(CoordinatorProcess coordinator) {
    return CoordinatorGrpc.newBlockingStub(channel(coordinator, ann()))
        .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  private static CallProofs ann() {
    return TestUsers.proofs("ann", SECRET);
  }

  private static CallProofs ops() {
    return TestUsers.proofs("ops", SECRET);
  }

  private HttpResponse<String> send(CoordinatorProcess coordinator, String method, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + coordinator.httpPort() + path))
            .header("Authorization", "Bearer ops:" + SECRET)
            .header("Content-Type", "application/json")
            .method(
                method,
                method.equals("PUT")
                    ? HttpRequest.BodyPublishers.ofString("{\"applications\": 7}")
                    : HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitReady() {
    while (!coordinators.stream()
        .allMatch(each -> send(each, "GET", "/readyz").statusCode() == 200)) {
      LockSupport.parkNanos(10_000_000);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }

  @Test
  void everyCoordinatorActsForAll() {
    awaitReady();
    for (CoordinatorProcess coordinator : coordinators) {
      String application = "ann~app-" + coordinator.rpcPort();

      RegisterApplicationReply reply =
          stub(coordinator)
              .registerApplication(
                  RegisterApplicationRequest.newBuilder()
                      .setApplication(application)
                      .setUser("ann")
                      .setClientVersion("1")
                      .setPublicKey(
                          ByteString.copyFrom(
                              ApplicationKey.generate(new SecureRandom()).publicKey()))
                      .build());

      assertThat(reply.getStatus()).isEqualTo(Status.OK);
      assertThat(reply.hasToken()).isTrue();
      for (CoordinatorProcess other : coordinators) {
        assertThat(
                stub(other)
                    .listApplications(ListApplicationsRequest.getDefaultInstance())
                    .getApplicationsList())
            .anyMatch(each -> each.getApplication().equals(application));
        assertThat(send(other, "GET", "/api/v1/applications").body()).contains(application);
      }
    }
    HttpResponse<String> limited = send(coordinators.get(0), "PUT", "/api/v1/quotas/bob");
    assertThat(limited.statusCode()).as(limited.body()).isEqualTo(200);
    for (CoordinatorProcess other : coordinators) {
      assertThat(send(other, "GET", "/api/v1/quotas").body()).contains("bob");
      assertThat(send(other, "GET", "/api/v1/coordinators").body())
          .contains("127.0.0.1:" + coordinators.get(2).rpcPort());
    }
  }

  @Test
  void withoutAQuorumNothingIsDecidedAndTheReasonIsShown() {
    awaitReady();
    coordinators.get(0).close();
    coordinators.get(1).close();
    CoordinatorProcess left = coordinators.get(2);
    HttpResponse<String> ready = send(left, "GET", "/readyz");
    while (ready.statusCode() == 200) {
      ready = send(left, "GET", "/readyz");
    }
    assertThat(ready.body()).contains("no quorum");

    assertThatThrownBy(
            () ->
                stub(left)
                    .registerApplication(
                        RegisterApplicationRequest.newBuilder()
                            .setApplication("ann~late")
                            .setUser("ann")
                            .setClientVersion("1")
                            .build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Code.UNAVAILABLE));
    assertThat(send(left, "GET", "/api/v1/applications").statusCode()).isEqualTo(503);
    assertThat(send(left, "GET", "/healthz").statusCode()).isEqualTo(200);
  }

  private Map<String, Code> results(ClientInterceptor... proofs) {
    return AllCalls.results(
        channel(coordinators.get(0), proofs),
        ConsensusGrpc.getServiceDescriptor(),
        AllCalls.methods(ConsensusGrpc.getServiceDescriptor()));
  }

  private CallProofs process(ProcessRole role) {
    return CallProofs.ofProcess(
        authority.process(role), ProcessRole.COORDINATOR, new SecureRandom(), true);
  }

  @Test
  void onlyCoordinatorsMayCallTheServiceOfCoordinators() {
    for (Map<String, Code> refused :
        List.of(results(), results(ann()), results(ops()), results(process(ProcessRole.SERVER)))) {
      assertThat(refused).containsOnlyKeys("Replicate", "Forward", "Membership");
      assertThat(refused.values()).containsOnly(Code.PERMISSION_DENIED);
    }
    assertThat(results(process(ProcessRole.COORDINATOR)).values())
        .hasSize(3)
        .doesNotContain(Code.PERMISSION_DENIED, Code.UNAUTHENTICATED);
  }
}
