package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.rpc.RawHttp2;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gRPC port of a coordinator that requires authentication. */
class SecuredRpcPortTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path directory;
  private final Logger logger = (Logger) org.slf4j.LoggerFactory.getLogger(AuditLog.LOGGER);
  private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event);
        }
      };
  private final List<ManagedChannel> channels = new ArrayList<>();
  private CoordinatorProcess coordinator;

  @BeforeEach
  void listen() {
    listener.start();
    logger.addAppender(listener);
  }

  private void start(boolean openReads) throws IOException {
    Path users = directory.resolve("users");
    Files.writeString(users, TestUsers.line("ann", "user", SECRET));
    Map<String, String> settings = new HashMap<>();
    settings.put("rss.coordinator.host", "127.0.0.1");
    settings.put("rss.rpc.server.port", "0");
    settings.put("rss.jetty.http.port", "0");
    settings.put("rss.security.authentication.enabled", "true");
    settings.putAll(new TestAuthority().files(directory, ProcessRole.COORDINATOR));
    settings.put("rss.security.users.file", users.toString());
    settings.put("rss.security.anonymous.read.enabled", Boolean.toString(openReads));
    coordinator = CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, settings));
  }

  @AfterEach
  void stop() throws InterruptedException {
    logger.detachAppender(listener);
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
    coordinator.close();
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(coordinator.rpcPort(), TIMEOUT_MS);
  }

  private ManagedChannel channel(CallProofs... proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    channels.add(channel);
    return channel;
  }

  private CoordinatorGrpc.CoordinatorBlockingStub stub(CallProofs... proofs) {
    return CoordinatorGrpc.newBlockingStub(channel(proofs))
        .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  private String metrics() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + coordinator.httpPort() + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void deniesEveryUnauthenticatedCallAtItsHeaders() throws Exception {
    start(false);
    List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
    methods.addAll(CoordinatorGrpc.getServiceDescriptor().getMethods());
    methods.addAll(AdminGrpc.getServiceDescriptor().getMethods());
    try (RawHttp2 peer = connect()) {
      int stream = 1;
      for (MethodDescriptor<?, ?> method : methods) {
        peer.call(stream, method.getFullMethodName());
        assertThat(peer.end(stream).status())
            .as(method.getFullMethodName())
            .isEqualTo(Status.Code.PERMISSION_DENIED.value());
        stream += 2;
      }
    }
    assertThat(metrics())
        .contains(
            "sluice_coordinator_calls_denied_total{reason=\"PERMISSION_DENIED\",} "
                + methods.size()
                + ".0");
  }

  @Test
  void limitsTheLogLinesOfDeniedCalls() throws Exception {
    start(false);
    String call = CoordinatorGrpc.getHeartbeatMethod().getFullMethodName();
    long beganNanos = System.nanoTime();
    try (RawHttp2 peer = connect()) {
      for (int stream = 1; stream < 2_000; stream += 2) {
        peer.call(stream, call);
        // The client must end a completed call; otherwise it counts as open.
        assertThat(peer.end(stream).status()).isEqualTo(Status.Code.PERMISSION_DENIED.value());
        peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, stream, new byte[0]);
      }
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
    assertThat(lines).hasSizeBetween(1, (int) seconds + 2);
    assertThat(lines.get(0).getKeyValuePairs().toString())
        .contains("action=\"call\"")
        .contains("outcome=\"PERMISSION_DENIED\"")
        .contains("call=\"" + call + "\"");
  }

  @Test
  void allowsAnonymousReadsIfEnabled() throws Exception {
    start(true);

    ListServersReply servers = stub().listServers(ListServersRequest.getDefaultInstance());

    assertThat(servers.getServersCount()).isZero();
    try (RawHttp2 peer = connect()) {
      peer.call(1, CoordinatorGrpc.getRegisterShuffleMethod().getFullMethodName());
      assertThat(peer.end(1).status()).isEqualTo(Status.Code.PERMISSION_DENIED.value());
    }
  }

  @Test
  void deniesAUserWithOneLine() throws Exception {
    start(false);
    CoordinatorGrpc.CoordinatorBlockingStub ann = stub(TestUsers.proofs("ann", SECRET));

    assertThatThrownBy(
            () -> {
              RenewLeaseReply unused =
                  ann.renewLease(
                      RenewLeaseRequest.newBuilder()
                          .setApplication("bob\n2026-11-22 INFO audit FORGED " + "x".repeat(900))
                          .build());
            })
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertThat(e.getStatus().getDescription())
                    .startsWith("RenewLease: application \"bob?2026-11-22 INFO audit FORGED xxx")
                    .hasSizeLessThan(400));
    assertThat(lines).hasSize(1);
    assertThat(lines.get(0).getKeyValuePairs().toString()).doesNotContain("\n");
  }
}
