package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ClusterKeys;
import io.sluice.common.auth.TokenAuthority;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard.Challenged;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionGuardTest {
  private static final String KEYS = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final HelloReply REPLY = HelloReply.newBuilder().setEpoch(42).build();

  private final SecureRandom random = new SecureRandom();
  private final TokenAuthority authority = authority(KEYS);
  private final ConnectionGuard guard = new ConnectionGuard(authority, true, random);
  private final ApplicationCredential credential = authority.issue("a~b", "a", 60_000);

  private TokenAuthority authority(String keys) {
    return new TokenAuthority(() -> ClusterKeys.parse(keys), Clock.systemUTC(), random);
  }

  private static Hello hello(ConnectionProofs client, String application) {
    Hello.Builder hello = Hello.newBuilder().setApplication(application);
    client.introduce(hello);
    return hello.build();
  }

  @Test
  void bothSidesProveThatTheyKnowTheKey() throws Exception {
    ConnectionProofs client = new ConnectionProofs(credential, random);
    Challenged challenged = guard.challenge(hello(client, "a~b")).orElseThrow();
    HelloReply reply = challenged.finish(client.answer(challenged.challenge()), REPLY);
    client.verify(reply);
    assertThat(reply.getEpoch()).isEqualTo(42);
  }

  @Test
  void aRecordedProofIsNotValidForAnotherConnection() throws Exception {
    ConnectionProofs client = new ConnectionProofs(credential, random);
    Hello recordedHello = hello(client, "a~b");
    HelloProof recordedProof =
        client.answer(guard.challenge(recordedHello).orElseThrow().challenge());
    Challenged replayed = guard.challenge(recordedHello).orElseThrow();
    assertThatThrownBy(() -> replayed.finish(recordedProof, REPLY))
        .hasMessageContaining("did not prove that it knows the key of its token");
  }

  @Test
  void aTokenWithoutItsKeyProvesNothing() throws Exception {
    byte[] withWrongKey = credential.toBytes();
    withWrongKey[1]++;
    ApplicationCredential stolen = ApplicationCredential.fromBytes(withWrongKey);
    ConnectionProofs client = new ConnectionProofs(stolen, random);
    Challenged challenged = guard.challenge(hello(client, "a~b")).orElseThrow();
    HelloProof proof = client.answer(challenged.challenge());
    assertThatThrownBy(() -> challenged.finish(proof, REPLY)).isInstanceOf(SluiceException.class);
  }

  @Test
  void aTokenOpensNoConnectionOfAnotherApplication() {
    ConnectionProofs client = new ConnectionProofs(credential, random);
    assertThatThrownBy(() -> guard.challenge(hello(client, "a~c")))
        .hasMessage("the token of application \"a~b\" is not valid for application \"a~c\"");
  }

  @Test
  void noTokenIsRefusedOnlyWhereOneIsRequired() throws Exception {
    Hello plain = Hello.newBuilder().setApplication("a~b").build();
    assertThatThrownBy(() -> guard.challenge(plain)).hasMessageContaining("sent no token");
    assertThat(new ConnectionGuard(authority, false, random).challenge(plain)).isEmpty();
    assertThat(ConnectionGuard.OPEN.challenge(plain)).isEmpty();
  }

  @Test
  void aServerWithoutTheSecretIsDetected() throws Exception {
    ConnectionProofs client = new ConnectionProofs(credential, random);
    HelloProof unused =
        client.answer(guard.challenge(hello(client, "a~b")).orElseThrow().challenge());
    assertThat(unused.getMac().size()).isEqualTo(32);
    assertThatThrownBy(() -> client.verify(REPLY))
        .hasMessageContaining("did not prove that it knows the cluster's secret");
    assertThatThrownBy(
            () ->
                client.verify(
                    REPLY.toBuilder().setProof(ByteString.copyFrom(new byte[32])).build()))
        .isInstanceOf(SluiceException.class);
  }

  /** A process in place of the server cannot use a handshake that it receives anywhere else. */
  @Test
  void aProofIsValidForOneSocketOnly() throws Exception {
    ProofScope socket = ProofScope.ofSocket(new byte[] {1});
    ConnectionProofs client = new ConnectionProofs(credential, random, socket);
    Hello hello = hello(client, "a~b");
    for (ProofScope other : List.of(ProofScope.DATA, ProofScope.ofSocket(new byte[] {2}))) {
      Challenged forwarded = guard.challenge(hello, other).orElseThrow();
      HelloProof proof = client.answer(forwarded.challenge());
      assertThatThrownBy(() -> forwarded.finish(proof, REPLY))
          .hasMessageContaining("did not prove that it knows the key of its token");
    }
    Challenged same = guard.challenge(hello, socket).orElseThrow();
    HelloReply reply = same.finish(client.answer(same.challenge()), REPLY);
    client.verify(reply);
  }
}
