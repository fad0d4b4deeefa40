package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.GrpcDataTransport;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class AuthenticationTest {
  @TempDir Path directory;

  private SecuredCluster cluster;

  @BeforeEach
  void startCluster() throws Exception {
    cluster = new SecuredCluster(directory);
    cluster.start(Map.of());
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  private SluiceClient client(TransportKind kind, String application, String user, String secret)
      throws Exception {
    return cluster.client(kind, application, user, secret, Map.of());
  }

  private static Refused refused(SluiceClient client) {
    return (Refused) client.applicationSession("me").registerShuffle(0, SecuredCluster.PARTITIONS);
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void aDriverAndItsTasksShuffle(TransportKind kind) throws Exception {
    SluiceClient driver = client(kind, "alice~app", "alice", SecuredCluster.ALICE);
    ShuffleAssignment assignment = SecuredCluster.assigned(driver);
    SluiceClient task = client(kind, "alice~app", null, null);
    byte[] carried = driver.credentials().newest().orElseThrow().toBytes();
    task.credentials().update(ApplicationCredential.fromBytes(carried));

    SecuredCluster.push(task, assignment, 1000);

    SecuredCluster.readBack(task, assignment, 1000);
  }

  @Test
  void aJobWithoutCredentialsIsDeniedWithTheReason() throws Exception {
    Refused none = refused(client(TransportKind.GRPC_NETTY, "app", null, null));
    assertThat(none.reason()).isEqualTo(Reason.DENIED);
    assertThat(none.message())
        .contains("requires authentication")
        .contains("rss.security.user.secret.file");

    Refused wrong =
        refused(client(TransportKind.GRPC_NETTY, "alice~app", "alice", SecuredCluster.BOB));
    assertThat(wrong.reason()).isEqualTo(Reason.DENIED);
    assertThat(wrong.message()).contains("user alice is unknown, or its secret is wrong");

    Refused another =
        refused(client(TransportKind.GRPC_NETTY, "alice~app", "bob", SecuredCluster.BOB));
    assertThat(another.reason()).isEqualTo(Reason.DENIED);
    assertThat(another.message()).contains("user bob may not register application \"alice~app\"");
  }

  @Test
  void anUnreadableSecretIsReported() throws Exception {
    Refused unreadable = refused(client(TransportKind.GRPC_NETTY, "alice~app", "alice", "short"));
    assertThat(unreadable.reason()).isEqualTo(Reason.DENIED);
    assertThat(unreadable.message()).contains("alice.secret").contains("at least 20 characters");
  }

  private DataTransport transport(TransportKind kind, ApplicationCredentials credentials) {
    DataTransport transport =
        switch (kind) {
          case GRPC ->
              new GrpcDataTransport(
                  TransportConfig.DEFAULT, credentials, ClientTls.OFF, System::nanoTime);
          case GRPC_NETTY ->
              new NettyDataTransport(
                  TransportConfig.DEFAULT, credentials, ClientTls.OFF, System::nanoTime);
        };
    return cluster.closing(transport);
  }

  private StatusCode refusalOf(DataTransport transport, String application) {
    ServerId id =
        ServerId.newBuilder()
            .setName("server")
            .setHost("127.0.0.1")
            .setRpcPort(cluster.server().rpcPort())
            .setNettyPort(cluster.server().nettyPort())
            .build();
    try {
      transport.connect(id, application, "test").get(30, TimeUnit.SECONDS).close();
      return StatusCode.OK;
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(SluiceException.class);
      return ((SluiceException) e.getCause()).code();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void aConnectionWorksForTheApplicationOfItsTokenOnly(TransportKind kind) throws Exception {
    SluiceClient bob = client(kind, "bob~app", "bob", SecuredCluster.BOB);
    SecuredCluster.assigned(bob);
    DataTransport bobs = transport(kind, bob.credentials());
    assertThat(refusalOf(bobs, "bob~app")).isEqualTo(StatusCode.OK);
    assertThat(refusalOf(bobs, "alice~app")).isEqualTo(StatusCode.DENIED);
    assertThat(refusalOf(transport(kind, new ApplicationCredentials()), "bob~app"))
        .isEqualTo(StatusCode.DENIED);

    // The token of bob's application with the key of alice's: both keys have the same length.
    SluiceClient alice = client(kind, "alice~app", "alice", SecuredCluster.ALICE);
    SecuredCluster.assigned(alice);
    byte[] forged = bob.credentials().newest().orElseThrow().toBytes();
    byte[] ofAlice = alice.credentials().newest().orElseThrow().toBytes();
    System.arraycopy(ofAlice, 0, forged, 0, 3 + forged[1]);
    ApplicationCredentials guessed = new ApplicationCredentials();
    guessed.update(ApplicationCredential.fromBytes(forged));
    assertThat(refusalOf(transport(kind, guessed), "bob~app")).isEqualTo(StatusCode.DENIED);
  }

  private ManagedChannel channel(int port, CallProofs... proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().intercept(proofs).build();
    cluster.closing(channel::shutdownNow);
    return channel;
  }

  @Test
  void aDecommissionedServerMovesDataWithTheApplicationsCredential() throws Exception {
    SluiceClient alice =
        client(TransportKind.GRPC_NETTY, "alice~app", "alice", SecuredCluster.ALICE);
    ShuffleAssignment assignment = SecuredCluster.assigned(alice);
    ApplicationAssignments driver =
        new ApplicationAssignments(
            alice.applicationSession("me")::replacementServer, 10, System::nanoTime);
    driver.register(assignment);
    alice.applicationSession("me").onMoved(driver::moved);
    SecuredCluster.push(alice, assignment, 1000);
    cluster.addServer("other");
    CallProofs asRoot = TestUsers.proofs("root", SecuredCluster.ROOT);

    assertThat(
            ShuffleServerControlGrpc.newBlockingStub(channel(cluster.server().rpcPort(), asRoot))
                .decommission(DecommissionRequest.newBuilder().setMove(true).build())
                .getStatus())
        .isEqualTo(io.sluice.proto.Status.OK);
    cluster.server().decommissioned().toCompletableFuture().get(60, TimeUnit.SECONDS);
    cluster.server().close();

    SecuredCluster.readBack(alice, driver.newest(0), 1000);
  }

  @Test
  void controlCallsRequireAuthorization() throws Exception {
    SluiceClient bob = client(TransportKind.GRPC_NETTY, "bob~app", "bob", SecuredCluster.BOB);
    SecuredCluster.assigned(bob);
    CallProofs asBob = TestUsers.proofs("bob", SecuredCluster.BOB);
    CallProofs asApp =
        CallProofs.ofApplication(
            bob.credentials().newest().orElseThrow(),
            ProcessRole.SERVER,
            new SecureRandom(),
            Clock.systemUTC());

    assertDenied(
        () ->
            CoordinatorGrpc.newBlockingStub(channel(cluster.coordinator().rpcPort()))
                .listServers(ListServersRequest.getDefaultInstance()));
    assertThat(
            CoordinatorGrpc.newBlockingStub(channel(cluster.coordinator().rpcPort(), asBob))
                .listServers(ListServersRequest.getDefaultInstance())
                .getServersCount())
        .isEqualTo(1);
    assertDenied(
        () ->
            CoordinatorGrpc.newBlockingStub(channel(cluster.coordinator().rpcPort(), asBob))
                .heartbeat(HeartbeatRequest.getDefaultInstance()));
    assertDenied(
        () ->
            ShuffleServerControlGrpc.newBlockingStub(channel(cluster.server().rpcPort(), asApp))
                .unregisterShuffleApplication(unregister("alice~app")));
    assertDenied(
        () ->
            ShuffleServerControlGrpc.newBlockingStub(channel(cluster.server().rpcPort()))
                .unregisterShuffleApplication(unregister("bob~app")));
    assertThat(
            ShuffleServerControlGrpc.newBlockingStub(channel(cluster.server().rpcPort(), asApp))
                .unregisterShuffleApplication(unregister("bob~app"))
                .getStatus())
        .isEqualTo(io.sluice.proto.Status.OK);
  }

  private static UnregisterShuffleApplicationRequest unregister(String application) {
    return UnregisterShuffleApplicationRequest.newBuilder().setApplication(application).build();
  }

  private static void assertDenied(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));
  }
}
