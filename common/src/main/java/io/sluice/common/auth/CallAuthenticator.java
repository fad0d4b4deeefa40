package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.CallProof;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Verifies the proofs of control calls. Thread-safe. */
public final class CallAuthenticator {
  private final TokenAuthority tokens;
  private final Supplier<Users> users;
  private final CallChallenges challenges;

  /**
   * @param users read on each use, so that a changed file takes effect at once
   */
  public CallAuthenticator(
      TokenAuthority tokens, Supplier<Users> users, SecureRandom random, LongSupplier nanoTime) {
    this.tokens = tokens;
    this.users = users;
    this.challenges = new CallChallenges(random, nanoTime);
  }

  /** The mac of a proof. */
  static byte[] mac(byte[] key, byte[] challenge, byte[] nonce, String call) {
    byte[] name = call.getBytes(StandardCharsets.US_ASCII);
    return Hmac.of(key, "sluice call v1", challenge, nonce, name);
  }

  byte[] challenge() {
    return challenges.next();
  }

  /**
   * Verifies a proof and returns its caller.
   *
   * @param call full name, {@code package.Service/Method}
   * @throws SluiceException DENIED
   */
  Caller authenticate(CallProof proof, String call) throws SluiceException {
    byte[] challenge = proof.getChallenge().toByteArray();
    if (!challenges.isOurs(challenge)) {
      throw denied("the challenge has expired or was not issued by this process");
    }
    byte[] nonce = proof.getNonce().toByteArray();
    if (nonce.length != CallProofs.NONCE_LENGTH) {
      throw denied(
          "nonce of %d bytes, expected %d".formatted(nonce.length, CallProofs.NONCE_LENGTH));
    }
    Caller claimed = claimed(proof);
    byte[] key = claimed.provedBy().key().orElseGet(() -> new byte[Hmac.LENGTH]);
    boolean valid = Hmac.same(mac(key, challenge, nonce, call), proof.getMac().toByteArray());
    if (!valid || claimed.provedBy().key().isEmpty()) {
      // One message for an unknown user and a wrong secret.
      throw denied(claimed.text() + " is unknown, or its secret is wrong");
    }
    if (!challenges.use(challenge)) {
      throw denied("the challenge was answered before");
    }
    return claimed;
  }

  /** The caller that the proof names, with the key that this process has for it. */
  private Caller claimed(CallProof proof) throws SluiceException {
    return switch (proof.getCallerCase()) {
      case USER -> {
        Optional<Users.User> user = users.get().find(proof.getUser());
        yield new Caller(
            Caller.Kind.USER,
            UserNames.isName(proof.getUser()) ? proof.getUser() : "?",
            user.map(Users.User::role).orElse(Role.USER),
            "",
            new Caller.ProvedBy(user.flatMap(Users.User::secret).orElse(null)));
      }
      case TOKEN -> {
        TokenAuthority.Verified verified = tokens.verify(bytes(proof.getToken()));
        yield new Caller(
            Caller.Kind.APPLICATION,
            verified.token().user(),
            Role.USER,
            verified.token().application(),
            new Caller.ProvedBy(verified.key()));
      }
      case CLUSTER_KEY -> {
        ClusterKeys.Key key =
            tokens
                .keys()
                .find(proof.getClusterKey())
                .orElseThrow(() -> denied("the cluster key of the proof is not in use"));
        yield new Caller(
            Caller.Kind.CLUSTER, key.id(), Role.USER, "", new Caller.ProvedBy(peerKey(key)));
      }
      case CALLER_NOT_SET -> throw denied("the proof names no caller");
    };
  }

  /** Key with which processes of the cluster authenticate each other. */
  static byte[] peerKey(ClusterKeys.Key key) {
    return Hmac.of(key.secret(), "sluice peer v1");
  }

  /** The user of a connection's certificate. */
  Caller ofCertificate(String commonName) throws SluiceException {
    return users.get().ofCertificate(commonName);
  }

  private static byte[] bytes(ByteString bytes) {
    return bytes.toByteArray();
  }

  private static SluiceException denied(String message) {
    return new SluiceException(StatusCode.DENIED, message);
  }
}
