package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

/** A user with two lines, while a new secret replaces the old one. */
class SecondSecretTest {
  private static final String OLD = "0123456789abcdef0123456789abcdef";
  private static final String NEW = "fedcba9876543210fedcba9876543210";
  private static final String CALL = "sluice.v1.Coordinator/RegisterApplication";

  private volatile Users users =
      Users.parse(
          TestUsers.line("alice", "user", OLD)
              + TestUsers.line("alice", "user", NEW)
              + TestUsers.line("bob", "user", NEW + "b"));
  private final CallAuthenticator authenticator =
      new CallAuthenticator(
          new TestAuthority().verifier(), () -> users, new SecureRandom(), () -> 0);
  private final BearerLogins logins =
      new BearerLogins(() -> users, ScramVerifier::matches, new SecureRandom(), () -> 0);

  /** Calls as alice, with a reply that the user can verify. */
  private Caller call(String secret) throws Exception {
    UserCredential alice = new UserCredential("alice", secret.getBytes(StandardCharsets.UTF_8));
    ChallengeReply reply =
        authenticator.challenge(ChallengeRequest.newBuilder().setUser("alice").build());
    CallProof.Builder proof =
        CallProof.newBuilder()
            .setChallenge(reply.getChallenge())
            .setNonce(ByteString.copyFrom(new byte[CallProofs.NONCE_LENGTH]));
    byte[] serverKey = alice.prove(proof, reply, CALL);
    CallAuthenticator.Authenticated found = authenticator.authenticate(proof.build(), CALL);
    // The reply is proved with the key of the same secret.
    assertThat(found.replyProof().toByteArray())
        .isEqualTo(
            ReplyProofs.mac(
                serverKey,
                reply.getChallenge().toByteArray(),
                new byte[CallProofs.NONCE_LENGTH],
                CALL));
    return found.caller();
  }

  private Caller login(String secret) {
    return logins.caller("alice:" + secret, "10.0.0.1").toCompletableFuture().join();
  }

  @Test
  void bothSecretsProveTheUserAndNoOther() throws Exception {
    assertThat(call(OLD).name()).isEqualTo("alice");
    assertThat(call(NEW).name()).isEqualTo("alice");
    assertThatThrownBy(() -> call(NEW + "b")).hasMessageContaining("its secret is wrong");
    assertThat(login(OLD).name()).isEqualTo("alice");
    assertThat(login(NEW).name()).isEqualTo("alice");
    assertThat(catchThrowable(() -> login(NEW + "b"))).isNotNull();
  }

  @Test
  void theOldSecretEndsWithItsLine() throws Exception {
    assertThat(call(OLD).name()).isEqualTo("alice");
    users = Users.parse(TestUsers.line("alice", "user", NEW));
    assertThat(call(NEW).name()).isEqualTo("alice");
    assertThatThrownBy(() -> call(OLD)).hasMessageContaining("its secret is wrong");
  }

  @Test
  void aSecondLineNeedsTheSameRoleAndSalt() {
    String line = TestUsers.line("alice", "user", OLD);
    String otherSalt = line.replace("alice user", "bob user");
    String bob = TestUsers.line("bob", "user", OLD);
    for (String wrong :
        new String[] {
          line + TestUsers.line("alice", "admin", NEW),
          bob + otherSalt,
          line + "alice user -",
          "alice user -\n" + line,
          line + line + line
        }) {
      assertThatThrownBy(() -> Users.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching("line [23]: duplicate user (alice|bob); a user can have two lines.*");
    }
  }
}
