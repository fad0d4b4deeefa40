package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TokenVerifier;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard.Challenged;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ConnectionGuardTest {
  private static final TestAuthority AUTHORITY = new TestAuthority();
  private static final String HOST = "127.0.0.1";
  private static final HelloReply REPLY = HelloReply.newBuilder().setEpoch(42).build();

  private final SecureRandom random = new SecureRandom();
  private final ConnectionGuard guard = guard(AUTHORITY.verifier());
  private final ApplicationCredential credential = AUTHORITY.issue("a~b", "a", 60_000);

  private ConnectionGuard guard(TokenVerifier tokens) {
    return new ConnectionGuard(tokens, true, random, Runnable::run);
  }

  private ConnectionProofs client(ApplicationCredential of) {
    return client(of, ProofScope.DATA, HOST);
  }

  private ConnectionProofs client(ApplicationCredential of, ProofScope scope, String host) {
    return new ConnectionProofs(of, scope, host, random, Clock.systemUTC());
  }

  private static Hello hello(ConnectionProofs client, String application) {
    Hello.Builder hello = Hello.newBuilder().setApplication(application);
    client.introduce(hello);
    return hello.build();
  }

  @Test
  void bothSidesProveThatTheyKnowTheKey() throws Exception {
    ConnectionProofs client = client(credential);
    Challenged challenged = guard.challenge(hello(client, "a~b")).orElseThrow();
    HelloReply reply = challenged.finish(client.answer(challenged.challenge()), REPLY);
    client.verify(reply);
    assertThat(reply.getEpoch()).isEqualTo(42);
  }

  @Test
  void aRecordedProofIsNotValidForAnotherConnection() throws Exception {
    ConnectionProofs client = client(credential);
    Hello recordedHello = hello(client, "a~b");
    HelloProof recordedProof =
        client.answer(guard.challenge(recordedHello).orElseThrow().challenge());
    Challenged replayed = guard.challenge(recordedHello).orElseThrow();
    assertThatThrownBy(() -> replayed.finish(recordedProof, REPLY))
        .hasMessageContaining("did not prove to this server that it owns the key of its token");
  }

  @Test
  void aTokenWithoutItsKeyProvesNothing() throws Exception {
    ApplicationCredential stolen =
        ApplicationCredential.fromBytes(
            withTokenOf(credential.toBytes(), AUTHORITY.issue("x.y", "x", 60_000).toBytes()));
    ConnectionProofs client = client(stolen);
    Challenged challenged = guard.challenge(hello(client, "a~b")).orElseThrow();
    HelloProof proof = client.answer(challenged.challenge());
    assertThatThrownBy(() -> challenged.finish(proof, REPLY)).isInstanceOf(SluiceException.class);
  }

  /** The first credential with the private key of the second one. */
  private static byte[] withTokenOf(byte[] token, byte[] key) {
    byte[] mixed = token.clone();
    // Both keys have the same length.
    System.arraycopy(key, 0, mixed, 0, 1 + 2 + key[1]);
    return mixed;
  }

  @Test
  void aTokenOpensNoConnectionOfAnotherApplication() {
    ConnectionProofs client = client(credential);
    assertThatThrownBy(() -> guard.challenge(hello(client, "a~c")))
        .hasMessage("the token of application \"a~b\" is not valid for application \"a~c\"");
  }

  @Test
  void noTokenIsRefusedOnlyWhereOneIsRequired() throws Exception {
    Hello plain = Hello.newBuilder().setApplication("a~b").build();
    assertThatThrownBy(() -> guard.challenge(plain)).hasMessageContaining("sent no token");
    assertThat(
            new ConnectionGuard(AUTHORITY.verifier(), false, random, Runnable::run)
                .challenge(plain))
        .isEmpty();
    assertThat(ConnectionGuard.OPEN.challenge(plain)).isEmpty();
  }

  @Test
  void aServerWithoutTheKeyOfItsCertificateIsDetected() throws Exception {
    ConnectionProofs client = client(credential);
    HelloProof unused =
        client.answer(guard.challenge(hello(client, "a~b")).orElseThrow().challenge());
    assertThat(unused.getSignature().size()).isBetween(60, 72);
    assertThatThrownBy(() -> client.verify(REPLY))
        .hasMessageContaining("did not prove that it owns the key of its certificate");
    assertThatThrownBy(
            () ->
                client.verify(
                    REPLY.toBuilder().setProof(ByteString.copyFrom(new byte[72])).build()))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void onlyAServerAtTheDialledHostIsAccepted() throws Exception {
    TokenVerifier coordinator = AUTHORITY.verifier(AUTHORITY.process(ProcessRole.COORDINATOR));
    TokenVerifier foreign = new TestAuthority().verifier();
    assertNoAnswer(guard, "data-2", "is not valid for host \"data-2\"");
    assertNoAnswer(guard(coordinator), HOST, "expected the certificate of a server");
    assertNoAnswer(guard(foreign), HOST, "no authority of this cluster has signed it");
  }

  private void assertNoAnswer(ConnectionGuard server, String host, String why) throws Exception {
    ConnectionProofs client = client(credential, ProofScope.DATA, host);
    HelloChallenge challenge = server.challenge(hello(client, "a~b")).orElseThrow().challenge();
    assertThatThrownBy(() -> client.answer(challenge)).hasMessageContaining(why);
  }

  /** A stolen server that clients connect to cannot use their handshakes at another server. */
  @Test
  void aServerCannotForwardAHandshakeToAnotherServer() throws Exception {
    ConnectionGuard stolen = guard(AUTHORITY.verifier("data-1"));
    ConnectionProofs client = client(credential, ProofScope.DATA, "data-1");
    Hello hello = hello(client, "a~b");
    Challenged ofVictim = guard.challenge(hello).orElseThrow();
    HelloChallenge ofStolen = stolen.challenge(hello).orElseThrow().challenge();

    // With the certificate of the victim, the client refuses: it has dialled another host.
    assertThatThrownBy(() -> client.answer(ofVictim.challenge()))
        .hasMessageContaining("is not valid for host \"data-1\"");
    // With its own certificate and the victim's nonce, the proof is not valid for the victim.
    HelloProof proof =
        client.answer(ofStolen.toBuilder().setNonce(ofVictim.challenge().getNonce()).build());
    assertThatThrownBy(() -> ofVictim.finish(proof, REPLY))
        .hasMessageContaining("did not prove to this server");
  }

  @Test
  void aServerCannotIssueTokens() throws Exception {
    ApplicationCredential minted =
        AUTHORITY.issue(AUTHORITY.process(ProcessRole.SERVER), "a~b", "a", 60_000);
    ConnectionProofs client = client(minted);
    Challenged challenged = guard.challenge(hello(client, "a~b")).orElseThrow();
    HelloProof proof = client.answer(challenged.challenge());
    assertThatThrownBy(() -> challenged.finish(proof, REPLY))
        .hasMessageContaining("which is not a coordinator");
  }

  @Test
  void tooManyProofsAreRefusedAsBusy() {
    ConnectionGuard full =
        new ConnectionGuard(
            AUTHORITY.verifier(),
            true,
            random,
            task -> {
              throw new RejectedExecutionException();
            });
    List<StatusCode> refusals = new ArrayList<>();
    full.verify(() -> REPLY, (reply, refusal) -> refusals.add(refusal.code()));
    assertThat(refusals).containsExactly(StatusCode.BUSY);
  }

  /** A process in place of the server cannot use a handshake that it receives anywhere else. */
  @Test
  void aProofIsValidForOneSocketOnly() throws Exception {
    ProofScope socket = ProofScope.ofSocket(new byte[] {1});
    ConnectionProofs client = client(credential, socket, HOST);
    Hello hello = hello(client, "a~b");
    for (ProofScope other : List.of(ProofScope.DATA, ProofScope.ofSocket(new byte[] {2}))) {
      Challenged forwarded = guard.challenge(hello, other).orElseThrow();
      HelloProof proof = client.answer(forwarded.challenge());
      assertThatThrownBy(() -> forwarded.finish(proof, REPLY))
          .hasMessageContaining("did not prove to this server that it owns the key of its token");
    }
    Challenged same = guard.challenge(hello, socket).orElseThrow();
    HelloReply reply = same.finish(client.answer(same.challenge()), REPLY);
    client.verify(reply);
  }
}
