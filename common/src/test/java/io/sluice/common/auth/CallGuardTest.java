package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.error.PeerText;
import io.sluice.common.rpc.RawHttp2;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CallGuardTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final TestAuthority AUTHORITY = new TestAuthority();
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final Users USERS = Users.parse(TestUsers.line("alice", "user", SECRET));
  private static final String METHOD =
      CoordinatorGrpc.getRegisterApplicationMethod().getFullMethodName();

  private final SecureRandom random = new SecureRandom();
  private final CallAuthenticator authenticator =
      new CallAuthenticator(AUTHORITY.verifier(), () -> USERS, random, System::nanoTime);
  private final CallDenials denials = new CallDenials(new AuditLog(), System::nanoTime);
  private Executor signatures = Runnable::run;
  private Server server;

  /**
   * Refuses anonymous callers by the headers, and other callers by the application of the request.
   */
  private static final class Rules implements CallGuard.Rules {
    @Override
    public String refusal(Caller caller, String call) {
      return caller.kind() == Caller.Kind.ANONYMOUS ? call + ": not authenticated" : null;
    }

    @Override
    public String refusal(Caller caller, String call, Object request) {
      String application = ((RegisterApplicationRequest) request).getApplication();
      return caller.owns(application) ? null : PeerText.quoted(application) + " is not yours";
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                new CoordinatorGrpc.CoordinatorImplBase() {
                  @Override
                  public void registerApplication(
                      RegisterApplicationRequest request,
                      StreamObserver<RegisterApplicationReply> replies) {
                    replies.onNext(RegisterApplicationReply.getDefaultInstance());
                    replies.onCompleted();
                  }
                })
            .addService(new AuthenticationService(authenticator))
            .intercept(
                new CallGuard(
                    authenticator,
                    true,
                    Set.of("sluice.v1.Authentication"),
                    new Rules(),
                    denials,
                    signatures))
            .build()
            .start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
  }

  private void register(String user, String application) throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                InetAddress.getLoopbackAddress().getHostAddress(), server.getPort())
            .usePlaintext()
            .intercept(TestUsers.proofs(user, SECRET))
            .build();
    try {
      RegisterApplicationReply unused =
          CoordinatorGrpc.newBlockingStub(channel)
              .withDeadlineAfter(TIMEOUT_MS, TimeUnit.MILLISECONDS)
              .registerApplication(
                  RegisterApplicationRequest.newBuilder().setApplication(application).build());
    } finally {
      channel.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }

  @Test
  void deniesACallWithoutAProofFromItsHeaders() throws IOException {
    try (RawHttp2 peer = new RawHttp2(server.getPort(), TIMEOUT_MS)) {
      // Only headers, without a message.
      peer.call(1, METHOD);
      RawHttp2.Frame end = peer.end(1);
      assertThat(end.status()).isEqualTo(Status.Code.PERMISSION_DENIED.value());
      assertThat(end.message()).isEqualTo("RegisterApplication: not authenticated");
    }
    assertThat(denials.count(Cause.PERMISSION_DENIED)).isEqualTo(1);
  }

  @Test
  void deniesACallWithAWrongProofFromItsHeaders() throws IOException {
    try (RawHttp2 peer = new RawHttp2(server.getPort(), TIMEOUT_MS)) {
      peer.call(1, METHOD, "sluice-proof-bin", "CAE");
      assertThat(peer.end(1).status()).isEqualTo(Status.Code.UNAUTHENTICATED.value());
    }
    assertThat(denials.count(Cause.UNAUTHENTICATED)).isEqualTo(1);
  }

  @Test
  void acceptsAnAuthenticatedCall() throws Exception {
    register("alice", "alice~app");

    assertThat(denials.count(Cause.PERMISSION_DENIED)).isZero();
  }

  @Test
  void aStatusQuotesAndShortensTextOfTheRequest() {
    assertThatThrownBy(() -> register("alice", "bob\n2026 INFO " + "x".repeat(50_000)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
              assertThat(e.getStatus().getDescription())
                  .startsWith("\"bob?2026 INFO xx")
                  .endsWith("...\" (50014 characters) is not yours");
            });
    assertThat(denials.count(Cause.PERMISSION_DENIED)).isEqualTo(1);
  }
}
