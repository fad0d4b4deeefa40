package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApiReply;
import io.sluice.proto.Open;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tokens that expire, or are revoked, while an application runs. */
@Timeout(180)
class TokenLifetimeTest {
  private static final long LIFETIME_MS = 6_000;

  @TempDir Path directory;

  private SecuredCluster cluster;

  @BeforeEach
  void createCluster() {
    cluster = new SecuredCluster(directory);
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  private SluiceClient driver(TransportKind kind) throws Exception {
    return cluster.client(kind, "alice~app", "alice", SecuredCluster.ALICE, Map.of());
  }

  private static ApplicationCredential newest(SluiceClient client) {
    return client.credentials().newest().orElseThrow();
  }

  /** Tasks get the driver's newest token when they start, and run shorter than a lifetime. */
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void anApplicationOutlivesItsTokens(TransportKind kind) throws Exception {
    cluster.start(LIFETIME_MS + "ms");
    SluiceClient driver = driver(kind);
    ShuffleAssignment assignment = SecuredCluster.assigned(driver);
    SluiceClient executor = cluster.client(kind, "alice~app", null, null, Map.of());
    executor.credentials().update(newest(driver));
    SecuredCluster.push(executor, assignment, 1000);
    long firstMs = newest(driver).issuedMs();

    while (newest(driver).issuedMs() - firstMs < 3 * LIFETIME_MS) {
      executor.credentials().update(newest(driver));
      SecuredCluster.readBack(executor, assignment, 1000);
    }

    // Two replacements for each lifetime; without expired connections no request failed.
    assertThat(executor.counters().read().requests().retries()).isZero();
  }

  private ApiReply admin(String method, String path) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", cluster.coordinator().rpcPort())
            .usePlaintext()
            .build();
    try {
      return AdminGrpc.newBlockingStub(channel)
          .withInterceptors(TestUsers.proofs("root", SecuredCluster.ROOT))
          .call(ApiCall.newBuilder().setMethod(method).setPath("/api/v1/" + path).build());
    } finally {
      channel.shutdownNow();
    }
  }

  private void revoke(String path) throws Exception {
    ApiReply reply = admin("POST", path + "/revocation");
    assertThat(reply.getStatus()).as(reply.getBody().toStringUtf8()).isEqualTo(200);
  }

  private DataTransport transport(ApplicationCredential credential) {
    ApplicationCredentials credentials = new ApplicationCredentials();
    credentials.update(credential);
    return cluster.closing(
        new NettyDataTransport(
            TransportConfig.DEFAULT, credentials, ClientTls.OFF, System::nanoTime));
  }

  private ServerId server() {
    return ServerId.newBuilder()
        .setName("server")
        .setHost("127.0.0.1")
        .setRpcPort(cluster.server().rpcPort())
        .setNettyPort(cluster.server().nettyPort())
        .build();
  }

  private static Throwable failure(CompletableFuture<?> future) throws Exception {
    try {
      future.get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static CompletableFuture<?> request(DataConnection connection) {
    return connection.open(
        Open.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication("alice~app"))
            .addPartitions(0)
            .build());
  }

  @Test
  void aRevokedTokenIsRefusedAndItsConnectionsAreClosed() throws Exception {
    cluster.start(Map.of());
    SluiceClient driver = driver(TransportKind.GRPC_NETTY);
    ShuffleAssignment assignment = SecuredCluster.assigned(driver);
    SecuredCluster.push(driver, assignment, 1000);
    ApplicationCredential stolen = newest(driver);
    DataTransport thief = transport(stolen);
    DataConnection connection = thief.connect(server(), "alice~app", "thief").get();
    assertThat(failure(request(connection))).isNull();

    revoke("users/alice");

    // Refused from the server's next heartbeat on.
    Throwable refusal = null;
    while (refusal == null) {
      refusal = failure(request(connection));
    }
    assertThat(refusal).hasMessageContaining("an operator revoked the tokens of user \"alice\"");
    assertThat(connection.isOpen()).isFalse();
    assertThat(failure(thief.connect(server(), "alice~app", "thief")))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.DENIED))
        .hasMessageContaining("is revoked");
    // The driver is still a user: it gets a new token with its next renewal.
    while (newest(driver).issuedMs() <= stolen.issuedMs()) {
      Thread.onSpinWait();
    }
    while (catchThrowable(() -> SecuredCluster.readBack(driver, assignment, 1000)) != null) {
      // The token of another renewal before the revocation.
    }
  }

  @Test
  void aRevokedApplicationEnds() throws Exception {
    cluster.start(Map.of());
    SluiceClient driver = driver(TransportKind.GRPC_NETTY);
    ShuffleAssignment assignment = SecuredCluster.assigned(driver);
    SecuredCluster.push(driver, assignment, 1000);
    ApplicationCredential stolen = newest(driver);

    revoke("applications/alice~app");

    assertThat(admin("GET", "events").getBody().toStringUtf8())
        .contains("APPLICATION_ENDED", "TOKENS_REVOKED");
    while (failure(transport(stolen).connect(server(), "alice~app", "thief")) == null) {
      // Until the server's next heartbeat.
    }
  }
}
