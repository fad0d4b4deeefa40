package io.sluice.client.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.AuthenticationGrpc.AuthenticationImplBase;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorImplBase;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Control calls of a process with a secret, to processes of the cluster and to false processes. */
@Timeout(120)
class CallProofsTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final ListServersReply REPLY =
      ListServersReply.newBuilder().addServers(io.sluice.proto.ServerInfo.newBuilder()).build();
  private static final Metadata.Key<CallProof> CALL_PROOF =
      Metadata.Key.of(
          "sluice-proof-bin", ProtoUtils.metadataMarshaller(CallProof.getDefaultInstance()));
  private static final Metadata.Key<byte[]> REPLY_PROOF =
      Metadata.Key.of("sluice-reply-proof-bin", Metadata.BINARY_BYTE_MARSHALLER);

  @TempDir private Path directory;

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private final TestAuthority authority = new TestAuthority();
  private final AtomicInteger served = new AtomicInteger();

  private final class Service extends CoordinatorImplBase {
    @Override
    public void listServers(ListServersRequest request, StreamObserver<ListServersReply> reply) {
      served.incrementAndGet();
      reply.onNext(REPLY);
      reply.onCompleted();
    }
  }

  /** Sends a challenge to every caller and verifies no proof. */
  private static final class FalseChallenges extends AuthenticationImplBase {
    private final ByteString challenge;
    private final int iterations;

    private FalseChallenges(ByteString challenge) {
      this(challenge, 4096);
    }

    private FalseChallenges(ByteString challenge, int iterations) {
      this.challenge = challenge;
      this.iterations = iterations;
    }

    @Override
    public void challenge(ChallengeRequest request, StreamObserver<ChallengeReply> reply) {
      reply.onNext(
          ChallengeReply.newBuilder()
              .setChallenge(challenge)
              .setSalt(ByteString.copyFrom(new byte[16]))
              .setIterations(iterations)
              .build());
      reply.onCompleted();
    }
  }

  private ClusterSecurity security(boolean required) throws IOException {
    Path users =
        Files.writeString(directory.resolve("users"), TestUsers.line("alice", "admin", SECRET));
    return authority.security(
        directory, ProcessRole.COORDINATOR, required, Optional.of(users), TlsConfig.OFF);
  }

  private int serve(Consumer<NettyServerBuilder> more) throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Service());
    more.accept(builder);
    Server server = builder.build().start();
    toClose.push(() -> server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    return server.getPort();
  }

  /** A process of the cluster whose proofs of replies are replaced. */
  private int serveWithProofs(BiFunction<CallProof, byte[], byte[]> change) throws IOException {
    ClusterSecurity security = security(true);
    return serve(
        server -> {
          TestGuard.guard(security, server, null);
          server.intercept(replyProofs(change));
        });
  }

  private ListServersReply call(int port, ClientInterceptor proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().intercept(proofs).build();
    toClose.push(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    return CoordinatorGrpc.newBlockingStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .listServers(ListServersRequest.getDefaultInstance());
  }

  private static ClientInterceptor ofProcess(ClusterSecurity caller) {
    return caller.proofs(ProcessRole.COORDINATOR).get(0);
  }

  private static CallProofs alice() {
    return TestUsers.proofs("alice", SECRET);
  }

  /**
   * Replaces proofs of replies.
   *
   * @param change receives the proof of a call and of its reply, and returns the proof to send; not
   *     called for calls without a proof
   */
  private static ServerInterceptor replyProofs(BiFunction<CallProof, byte[], byte[]> change) {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return next.startCall(
            new SimpleForwardingServerCall<>(call) {
              @Override
              public void sendHeaders(Metadata reply) {
                CallProof proof = headers.get(CALL_PROOF);
                if (proof != null) {
                  byte[] changed = change.apply(proof, reply.get(REPLY_PROOF));
                  reply.discardAll(REPLY_PROOF);
                  reply.put(REPLY_PROOF, changed);
                }
                super.sendHeaders(reply);
              }
            },
            headers);
      }
    };
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }

  private void assertUnproven(int port, ClientInterceptor proofs, String why) {
    assertThatThrownBy(() -> call(port, proofs))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
              assertThat(e.getStatus().getDescription())
                  .startsWith("the called process did not prove that it belongs to this cluster: ")
                  .contains(why);
            });
  }

  @Test
  void authenticatesACallInBothDirections() throws Exception {
    ClusterSecurity security = security(true);
    int port = serve(server -> TestGuard.guard(security, server, null));

    assertThat(call(port, alice())).isEqualTo(REPLY);
    assertThat(call(port, ofProcess(security))).isEqualTo(REPLY);
  }

  /** A caller that has dialled a coordinator gives a proof to no other process. */
  @Test
  void sendsNoRequestToAProcessWithAnotherIdentity() throws Exception {
    ClusterSecurity server =
        authority.security(directory, ProcessRole.SERVER, true, Optional.empty(), TlsConfig.OFF);
    ClusterSecurity foreign =
        new TestAuthority()
            .security(directory, ProcessRole.COORDINATOR, true, Optional.empty(), TlsConfig.OFF);
    int ofServer = serve(builder -> TestGuard.guard(server, builder, null));
    int ofForeign = serve(builder -> TestGuard.guard(foreign, builder, null));
    ClientInterceptor caller = ofProcess(security(true));

    assertUnproven(ofServer, caller, "expected the certificate of a coordinator");
    assertUnproven(ofForeign, caller, "no authority of this cluster has signed it");
    assertThat(served).hasValue(0);
  }

  /** A stolen server that answers a call cannot forward its proof to the coordinator. */
  @Test
  void sendsNoRequestToAnotherHost() throws Exception {
    ClusterSecurity security = security(true);
    int port = serve(server -> TestGuard.guard(security, server, null));
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .overrideAuthority("coordinator-1.example.org")
            .usePlaintext()
            .intercept(ofProcess(security))
            .build();
    toClose.push(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));

    assertThatThrownBy(
            () ->
                CoordinatorGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .listServers(ListServersRequest.getDefaultInstance()))
        .hasMessageContaining("is not valid for host \"coordinator-1.example.org\"");
    assertThat(served).hasValue(0);
  }

  @Test
  void rejectsAFalseSignatureOfAReply() throws Exception {
    ClusterSecurity caller = security(true);
    int port = serveWithProofs((call, reply) -> new byte[reply.length]);

    assertUnproven(port, ofProcess(caller), "its reply has no valid proof");
  }

  @Test
  void refusesCallersWhenTooManyProveTheirIdentity() throws Exception {
    ClusterSecurity security = security(true);
    int port =
        serve(
            server ->
                TestGuard.guard(
                    security,
                    server,
                    null,
                    task -> {
                      throw new RejectedExecutionException();
                    }));

    assertThatThrownBy(() -> call(port, ofProcess(security)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    // Users' proofs need no signature.
    assertThat(call(port, alice())).isEqualTo(REPLY);
    assertThat(served).hasValue(1);
  }

  @Test
  void deniesARequestWithAnotherSecret() throws Exception {
    ClusterSecurity security = security(true);
    int port = serve(server -> TestGuard.guard(security, server, null));

    assertThatThrownBy(() -> call(port, TestUsers.proofs("alice", SECRET + "x")))
        .hasMessageContaining("user alice is unknown, or its secret is wrong");
    assertThat(served).hasValue(0);
  }

  @Test
  void sendsNoRequestToAProcessWithoutAuthentication() throws Exception {
    int port = serve(server -> {});

    assertUnproven(port, alice(), "it does not support authentication");
    assertUnproven(port, ofProcess(security(true)), "it does not support authentication");
    assertThat(served).hasValue(0);
  }

  @Test
  void sendsNoRequestWithoutAChallenge() throws Exception {
    int port = serve(server -> server.addService(new FalseChallenges(ByteString.EMPTY)));

    assertUnproven(port, alice(), "has no challenge");
    assertThat(served).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4095, 1_000_001, -1})
  void sendsNoProofForTooFewOrTooManyIterations(int iterations) throws Exception {
    ByteString challenge = ByteString.copyFrom(new byte[56]);
    int port = serve(server -> server.addService(new FalseChallenges(challenge, iterations)));

    assertUnproven(
        port,
        alice(),
        Integer.toUnsignedString(iterations)
            + " iterations, expected 16 bytes and 4096 to 1000000");
    assertThat(served).hasValue(0);
  }

  @Test
  void rejectsAReplyWithoutProof() throws Exception {
    ByteString challenge = ByteString.copyFrom(new byte[56]);
    int port = serve(server -> server.addService(new FalseChallenges(challenge)));

    assertUnproven(port, alice(), "its reply has no valid proof");
    assertThat(served).hasValue(1);
  }

  @Test
  void rejectsAReplyWithAFalseProof() throws Exception {
    Deque<byte[]> recorded = new ArrayDeque<>();
    int port =
        serveWithProofs(
            (call, reply) -> {
              recorded.add(reply);
              // From the second call on: the proof of the first call.
              return recorded.getFirst();
            });

    assertThat(call(port, alice())).isEqualTo(REPLY);
    assertUnproven(port, alice(), "its reply has no valid proof");
    assertThat(recorded).hasSize(2);
  }

  @Test
  void rejectsARecordedChallenge() throws Exception {
    AtomicReference<CallProof> recordedCall = new AtomicReference<>();
    AtomicReference<byte[]> recordedReply = new AtomicReference<>();
    int port =
        serveWithProofs(
            (call, reply) -> {
              recordedCall.set(call);
              recordedReply.set(reply);
              return reply;
            });
    assertThat(call(port, alice())).isEqualTo(REPLY);
    int replaying =
        serve(
            server ->
                server
                    .addService(new FalseChallenges(recordedCall.get().getChallenge()))
                    .intercept(replyProofs((call, reply) -> recordedReply.get())));

    assertUnproven(replaying, alice(), "its reply has no valid proof");
    assertThat(served).hasValue(2);
  }

  @Test
  void reportsAFailureOfTheServiceUnchanged() throws Exception {
    ClusterSecurity security = security(true);
    int port = serve(server -> TestGuard.guard(security, server, "not today"));

    assertThatThrownBy(() -> call(port, alice()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
              assertThat(e.getStatus().getDescription()).isEqualTo("not today");
            });
  }

  @Test
  void callsProcessesWithoutASecretDuringMigration() throws Exception {
    int port = serve(server -> {});

    assertThat(call(port, ofProcess(security(false)))).isEqualTo(REPLY);
  }
}
