package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import java.security.SecureRandom;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Client and server side of a handshake, without a connection. */
class HandshakeTest {
  private static final HelloReply REPLY =
      HelloReply.newBuilder()
          .setEpoch(42)
          .setWholeSinceEpoch(40)
          .setMaxBodyLength(1 << 20)
          .setLocalSocket("/run/sluice")
          .build();

  private static final TestAuthority AUTHORITY = new TestAuthority();

  private final ConnectionGuard guard =
      new ConnectionGuard(AUTHORITY.verifier(), true, new SecureRandom(), Runnable::run);
  private final Optional<ApplicationCredential> credential =
      Optional.of(AUTHORITY.issue("app", "alice", 60_000));
  private final ServerHandshake server = new ServerHandshake();

  private static ClientHandshake withoutToken() {
    return new ClientHandshake("app", "task 7", Optional.empty(), ProofScope.DATA, "127.0.0.1");
  }

  private static void assertRefused(StatusCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).as("%s", e).isEqualTo(code));
  }

  @Test
  void withoutATokenTheReplyCompletesIt() throws Exception {
    ClientHandshake client = withoutToken();
    assertThat(client.expectsChallenge()).isFalse();
    assertThat(server.expected()).isEqualTo(FrameType.HELLO);

    assertThat(server.onHello(client.hello(), ConnectionGuard.OPEN, hello -> REPLY)).isEmpty();

    assertThat(server.hello().getApplication()).isEqualTo("app");
    assertThat(server.hello().getClient()).isEqualTo("task 7");
    assertThat(client.finish(server.reply()))
        .isEqualTo(new HandshakeResult(42, 40, 1 << 20, "/run/sluice"));
  }

  @Test
  void withATokenBothSidesProveTheirIdentity() throws Exception {
    ClientHandshake client =
        new ClientHandshake("app", "task 7", credential, ProofScope.DATA, "127.0.0.1");
    assertThat(client.expectsChallenge()).isTrue();

    HelloChallenge challenge = server.onHello(client.hello(), guard, hello -> REPLY).orElseThrow();
    assertThat(server.expected()).isEqualTo(FrameType.PROOF);
    server.onProved(server.onProof(client.prove(challenge)).call());

    assertThat(client.finish(server.reply()).epoch()).isEqualTo(42);
  }

  @Test
  void aServerWithoutProofIsRefused() throws Exception {
    ClientHandshake client =
        new ClientHandshake("app", "task 7", credential, ProofScope.DATA, "127.0.0.1");
    HelloChallenge challenge = server.onHello(client.hello(), guard, hello -> REPLY).orElseThrow();
    HelloProof unused = client.prove(challenge);

    HelloReply unproved = REPLY.toBuilder().setVersion(ProtocolVersion.CURRENT).build();
    assertRefused(StatusCode.DENIED, () -> client.finish(unproved));
  }

  @Test
  void aClientWithoutATokenIsRefusedIfOneIsRequired() {
    assertRefused(
        StatusCode.DENIED, () -> server.onHello(withoutToken().hello(), guard, hello -> REPLY));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "2, 3"})
  void aClientOfAnotherVersionIsRefusedBeforeTheServiceIsCalled(int min, int max) {
    Hello hello = Hello.newBuilder().setMinVersion(min).setMaxVersion(max).build();
    assertRefused(
        StatusCode.BAD_VERSION,
        () ->
            server.onHello(
                hello,
                guard,
                unexpected -> {
                  throw new AssertionError("unexpected call");
                }));
  }

  @Test
  void aClientWithMoreVersionsGetsTheServersVersion() throws Exception {
    Hello hello = Hello.newBuilder().setMinVersion(0).setMaxVersion(9).build();
    assertThat(server.onHello(hello, ConnectionGuard.OPEN, unused -> REPLY)).isEmpty();
    assertThat(server.reply().getVersion()).isEqualTo(ProtocolVersion.CURRENT);
  }

  @Test
  void aServerOfAnotherVersionIsRefused() {
    HelloReply reply = REPLY.toBuilder().setVersion(9).build();
    assertRefused(StatusCode.BAD_VERSION, () -> withoutToken().finish(reply));
  }

  @Test
  void withoutWholeSinceEpochOnlyTheCurrentEpochIsComplete() throws Exception {
    HelloReply reply = HelloReply.newBuilder().setVersion(1).setEpoch(42).build();
    assertThat(withoutToken().finish(reply).wholeSinceEpoch()).isEqualTo(42);
  }
}
