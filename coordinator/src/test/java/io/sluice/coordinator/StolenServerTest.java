package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.ServiceDescriptor;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.rpc.AllCalls;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiCall;
import io.sluice.proto.ApiReply;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetReply;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls with the identity of a server that was stolen. */
@Timeout(120)
class StolenServerTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String STOLEN = "127.0.0.1:1";
  private static final String OTHER = "127.0.0.1:2";

  @TempDir private Path directory;

  private final TestAuthority authority = new TestAuthority();
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private CoordinatorProcess coordinator;
  private CoordinatorBlockingStub stolen;

  @BeforeEach
  void start() throws Exception {
    Path users =
        Files.writeString(directory.resolve("users"), TestUsers.line("ann", "user", SECRET));
    Map<String, String> settings =
        new HashMap<>(authority.files(directory, ProcessRole.COORDINATOR));
    settings.put("rss.coordinator.host", "127.0.0.1");
    settings.put("rss.rpc.server.port", "0");
    settings.put("rss.jetty.http.port", "0");
    settings.put("rss.security.authentication.enabled", "true");
    settings.put("rss.security.users.file", users.toString());
    coordinator = CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, settings));
    toClose.push(coordinator);
    ClusterSecurity ofServer =
        authority.security(directory, ProcessRole.SERVER, true, Optional.empty(), TlsConfig.OFF);
    stolen = stub(ofServer.proofs(ProcessRole.COORDINATOR).get(0));
  }

  @AfterEach
  void stop() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }

  private CoordinatorBlockingStub stub(ClientInterceptor proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    toClose.push(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static HeartbeatRequest.Builder heartbeat(String name, String host, int port) {
    return HeartbeatRequest.newBuilder()
        .setServer(
            ServerId.newBuilder().setName(name).setHost(host).setRpcPort(port).setEpoch(1).build())
        .setState(ServerState.ACTIVE)
        .setLoad(ServerLoad.newBuilder().setMemoryCapacityBytes(1 << 30));
  }

  private static void assertDenied(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Code.PERMISSION_DENIED));
  }

  private static MoveTargetRequest move(String application, String from) {
    return MoveTargetRequest.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(application))
        .setFrom(from)
        .setPartitions(1)
        .build();
  }

  @Test
  void sendsHeartbeatsInItsOwnNameOnly() {
    HeartbeatReply own = stolen.heartbeat(heartbeat(STOLEN, "127.0.0.1", 1).build());
    assertThat(own.getStatus()).as(own.getMessage()).isEqualTo(Status.OK);

    assertDenied(() -> stolen.heartbeat(heartbeat("data-2:1", "data-2", 1).build()));
    // Its own address under the name of another server would redirect the clients of that one.
    assertDenied(() -> stolen.heartbeat(heartbeat("data-2:1", "127.0.0.1", 1).build()));
    assertDenied(() -> stolen.findMoveTarget(move("ann~app", "data-2:1")));
  }

  /** With empty requests: heartbeats and moves, which servers may report, have no server's name. */
  @Test
  void makesNoCallsOfDriversAndAdmins() {
    ServiceDescriptor service = CoordinatorGrpc.getServiceDescriptor();
    assertThat(AllCalls.results(stolen.getChannel(), service, AllCalls.methods(service)))
        .containsOnlyKeys(AllCalls.methods(service))
        .allSatisfy(
            (call, code) ->
                assertThat(code)
                    .as(call)
                    .isEqualTo(call.startsWith("List") ? Code.OK : Code.PERMISSION_DENIED));

    AdminGrpc.AdminBlockingStub admin =
        AdminGrpc.newBlockingStub(stolen.getChannel()).withDeadlineAfter(60, TimeUnit.SECONDS);
    for (String path :
        new String[] {"servers/data-2:1/exclusion", "users/ann/revocation", "reload"}) {
      ApiReply reply =
          admin.call(ApiCall.newBuilder().setMethod("POST").setPath("/api/v1/" + path).build());
      assertThat(reply.getStatus()).as(path).isEqualTo(403);
      assertThat(reply.getBody().toStringUtf8()).contains("expected an admin, found server");
    }
  }

  @Test
  void getsTokensOnlyForApplicationsThatItServes() throws Exception {
    CoordinatorBlockingStub ann = stub(TestUsers.proofs("ann", SECRET));
    for (String name : new String[] {STOLEN, OTHER}) {
      int port = name.equals(STOLEN) ? 1 : 2;
      HeartbeatReply reply = stolen.heartbeat(heartbeat(name, "127.0.0.1", port).build());
      assertThat(reply.getStatus()).as(reply.getMessage()).isEqualTo(Status.OK);
    }
    ByteString key = ByteString.copyFrom(ApplicationKey.generate(new SecureRandom()).publicKey());
    for (String application : new String[] {"ann~served", "ann~other"}) {
      assertThat(
              ann.registerApplication(
                      RegisterApplicationRequest.newBuilder()
                          .setApplication(application)
                          .setPublicKey(key)
                          .build())
                  .hasToken())
          .isTrue();
    }
    RegisterShuffleReply assigned =
        ann.registerShuffle(
            RegisterShuffleRequest.newBuilder()
                .setShuffle(ShuffleId.newBuilder().setApplication("ann~served"))
                .setPartitionCount(8)
                .setReplicas(1)
                .setMaxServers(2)
                .build());
    assertThat(assigned.getStatus()).as(assigned.getMessage()).isEqualTo(Status.OK);
    String serving = assigned.getServers(0).getName();

    MoveTargetReply served = stolen.findMoveTarget(move("ann~served", serving));
    assertThat(served.getStatus()).as(served.getMessage()).isEqualTo(Status.OK);
    assertThat(served.getToken().isEmpty()).isFalse();

    // A false report of a move does not make it a server of the application.
    HeartbeatRequest.Builder report = heartbeat(STOLEN, "127.0.0.1", 1);
    report.addMoves(
        ShuffleMove.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication("ann~other"))
            .setFrom(STOLEN)
            .setTo(report.getServer().toBuilder().setName(OTHER).setRpcPort(2)));
    assertThat(stolen.heartbeat(report.build()).getStatus()).isEqualTo(Status.OK);
    for (String from : new String[] {STOLEN, OTHER}) {
      MoveTargetReply refused = stolen.findMoveTarget(move("ann~other", from));
      assertThat(refused.getStatus()).isEqualTo(Status.DENIED);
      assertThat(refused.getMessage()).contains("has no data on server");
      assertThat(refused.getToken().isEmpty()).isTrue();
    }
    assertThat(stolen.findMoveTarget(move("ann~unknown", STOLEN)).getStatus())
        .isEqualTo(Status.UNKNOWN_APPLICATION);
  }

  @Test
  void aDriverThatRegistersAgainNamesTheServersOfItsApplication() {
    CoordinatorBlockingStub ann = stub(TestUsers.proofs("ann", SECRET));
    for (int port = 1; port <= 2; port++) {
      HeartbeatReply reply =
          stolen.heartbeat(heartbeat("127.0.0.1:" + port, "127.0.0.1", port).build());
      assertThat(reply.getStatus()).isEqualTo(Status.OK);
    }
    assertThat(
            ann.registerApplication(
                    RegisterApplicationRequest.newBuilder()
                        .setApplication("ann~app")
                        .setContinued(true)
                        .addServers(STOLEN)
                        .build())
                .getStatus())
        .isEqualTo(Status.OK);

    assertThat(stolen.findMoveTarget(move("ann~app", OTHER)).getStatus()).isEqualTo(Status.DENIED);
    assertThat(stolen.findMoveTarget(move("ann~app", STOLEN)).getStatus()).isEqualTo(Status.OK);
    // The only other server is the target of the move, and has data of the application from now on.
    assertThat(stolen.findMoveTarget(move("ann~app", OTHER)).getStatus()).isEqualTo(Status.OK);
  }
}
