package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.transport.DataTransport;
import io.sluice.client.transport.GrpcDataTransport;
import io.sluice.client.transport.NettyDataTransport;
import io.sluice.client.transport.TransportConfig;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class AuthenticationTest {
  private static final String ALICE = "0123456789abcdef0123456789abcdef";
  private static final String BOB = "fedcba9876543210fedcba9876543210";
  private static final String KEYS = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";
  private static final int PARTITIONS = 5;

  @TempDir Path directory;

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private CoordinatorProcess coordinator;
  private ShuffleServerProcess server;

  @BeforeEach
  void startCluster() throws Exception {
    Path secret = file("cluster.secret", KEYS);
    Path users = file("users", "alice user " + ALICE + "\nbob user " + BOB + "\n");
    coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0",
                    "rss.security.authentication.enabled", "true",
                    "rss.security.cluster.secret.file", secret.toString(),
                    "rss.security.users.file", users.toString())));
    toClose.push(coordinator);
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort());
    values.put("rss.storage.basePath", directory.resolve("data").toString());
    values.put("rss.server.host", "127.0.0.1");
    values.put("rss.rpc.server.port", "0");
    values.put("rss.server.netty.port", "0");
    values.put("rss.jetty.http.port", "0");
    values.put("rss.server.buffer.capacity", "16m");
    values.put("rss.server.heartbeat.interval", "100ms");
    values.put("rss.server.stop.timeout", "10s");
    values.put("rss.security.authentication.enabled", "true");
    values.put("rss.security.cluster.secret.file", secret.toString());
    server = ShuffleServerProcess.start(ConfigSet.of(ServerConfig.SCHEMA, values));
    toClose.push(server);
  }

  @AfterEach
  void stopAll() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }

  private Path file(String name, String text) throws Exception {
    return Files.writeString(directory.resolve(name), text);
  }

  private SluiceClient client(TransportKind kind, String application, String user, String secret)
      throws Exception {
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort());
    values.put("rss.client.type", kind.name());
    values.put("rss.client.retry.interval.max", "100ms");
    values.put("rss.client.io.compression.codec", "NONE");
    if (user != null) {
      values.put("rss.security.user", user);
      values.put("rss.security.user.secret.file", file(user + ".secret", secret + "\n").toString());
    }
    SluiceClient client =
        SluiceClient.start(
            ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, values)), application, "test");
    toClose.push(client);
    return client;
  }

  private static ShuffleAssignment assigned(SluiceClient client) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    ShuffleRegistration outcome = null;
    while (System.nanoTime() < deadline) {
      outcome = client.applicationSession("me").registerShuffle(0, PARTITIONS);
      if (outcome instanceof Assigned assigned) {
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("not assigned: " + outcome);
  }

  private static Refused refused(SluiceClient client) {
    return (Refused) client.applicationSession("me").registerShuffle(0, PARTITIONS);
  }

  private static void push(SluiceClient client, ShuffleAssignment assignment) throws Exception {
    try (PushSession session = client.pushSession(assignment, new MapAttempt(1, 0))) {
      session.beginFinalPass();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        session.add(partition, new byte[] {(byte) partition, 7}, 0, 2, 1);
      }
      session.finish();
    }
  }

  private static int read(SluiceClient client, ShuffleAssignment assignment) throws Exception {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      request.expect(partition, 1, 0);
    }
    int bytes = 0;
    try (ShuffleRead read = client.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        bytes += block.content().remaining();
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void aDriverAndItsTasksShuffle(TransportKind kind) throws Exception {
    SluiceClient driver = client(kind, "alice.app", "alice", ALICE);
    ShuffleAssignment assignment = assigned(driver);
    SluiceClient task = client(kind, "alice.app", null, null);
    byte[] carried = driver.credentials().newest().orElseThrow().toBytes();
    task.credentials().learn(ApplicationCredential.fromBytes(carried));

    push(task, assignment);

    assertThat(read(task, assignment)).isEqualTo(2 * PARTITIONS);
  }

  @Test
  void aJobThatProvesNothingLearnsWhy() throws Exception {
    Refused none = refused(client(TransportKind.GRPC_NETTY, "app", null, null));
    assertThat(none.reason()).isEqualTo(Reason.DENIED);
    assertThat(none.message())
        .contains("demands authentication")
        .contains("rss.security.user.secret.file");

    Refused wrong = refused(client(TransportKind.GRPC_NETTY, "alice.app", "alice", BOB));
    assertThat(wrong.reason()).isEqualTo(Reason.DENIED);
    assertThat(wrong.message()).contains("user alice is not known here with this secret");

    Refused another = refused(client(TransportKind.GRPC_NETTY, "alice.app", "bob", BOB));
    assertThat(another.reason()).isEqualTo(Reason.DENIED);
    assertThat(another.message()).contains("user bob may not register application alice.app");
  }

  @Test
  void aSecretThatCannotBeReadIsAnAnswerToo() throws Exception {
    Refused unreadable = refused(client(TransportKind.GRPC_NETTY, "alice.app", "alice", "short"));
    assertThat(unreadable.reason()).isEqualTo(Reason.DENIED);
    assertThat(unreadable.message()).contains("alice.secret").contains("at least 20 characters");
  }

  private DataTransport transport(TransportKind kind, ApplicationCredentials credentials) {
    DataTransport transport =
        switch (kind) {
          case GRPC ->
              new GrpcDataTransport(TransportConfig.DEFAULT, credentials, System::nanoTime);
          case GRPC_NETTY ->
              new NettyDataTransport(TransportConfig.DEFAULT, credentials, System::nanoTime);
        };
    toClose.push(transport);
    return transport;
  }

  private StatusCode refusalOf(DataTransport transport, String application) {
    ServerId id =
        ServerId.newBuilder()
            .setName("server")
            .setHost("127.0.0.1")
            .setRpcPort(server.rpcPort())
            .setNettyPort(server.nettyPort())
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
    SluiceClient bob = client(kind, "bob.app", "bob", BOB);
    assigned(bob);
    DataTransport bobs = transport(kind, bob.credentials());
    assertThat(refusalOf(bobs, "bob.app")).isEqualTo(StatusCode.OK);
    assertThat(refusalOf(bobs, "alice.app")).isEqualTo(StatusCode.DENIED);
    assertThat(refusalOf(transport(kind, new ApplicationCredentials()), "bob.app"))
        .isEqualTo(StatusCode.DENIED);

    byte[] forged = bob.credentials().newest().orElseThrow().toBytes();
    forged[5] ^= 1;
    ApplicationCredentials guessed = new ApplicationCredentials();
    guessed.learn(ApplicationCredential.fromBytes(forged));
    assertThat(refusalOf(transport(kind, guessed), "bob.app")).isEqualTo(StatusCode.DENIED);
  }

  private ManagedChannel channel(int port, CallProofs... proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().intercept(proofs).build();
    toClose.push(channel::shutdownNow);
    return channel;
  }

  @Test
  void controlCallsAreForThoseWhoMayMakeThem() throws Exception {
    SluiceClient bob = client(TransportKind.GRPC_NETTY, "bob.app", "bob", BOB);
    assigned(bob);
    CallProofs asBob = CallProofs.ofUser("bob", BOB.getBytes(StandardCharsets.UTF_8));
    CallProofs asApp = CallProofs.ofApplication(bob.credentials().newest().orElseThrow());

    assertDenied(
        () ->
            CoordinatorGrpc.newBlockingStub(channel(coordinator.rpcPort()))
                .listServers(ListServersRequest.getDefaultInstance()));
    assertThat(
            CoordinatorGrpc.newBlockingStub(channel(coordinator.rpcPort(), asBob))
                .listServers(ListServersRequest.getDefaultInstance())
                .getServersCount())
        .isEqualTo(1);
    assertDenied(
        () ->
            CoordinatorGrpc.newBlockingStub(channel(coordinator.rpcPort(), asBob))
                .heartbeat(HeartbeatRequest.getDefaultInstance()));
    assertDenied(
        () ->
            ShuffleServerControlGrpc.newBlockingStub(channel(server.rpcPort(), asApp))
                .unregisterShuffleApplication(unregister("alice.app")));
    assertDenied(
        () ->
            ShuffleServerControlGrpc.newBlockingStub(channel(server.rpcPort()))
                .unregisterShuffleApplication(unregister("bob.app")));
    assertThat(
            ShuffleServerControlGrpc.newBlockingStub(channel(server.rpcPort(), asApp))
                .unregisterShuffleApplication(unregister("bob.app"))
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
