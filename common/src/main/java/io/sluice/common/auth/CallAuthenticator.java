package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import java.nio.ByteBuffer;
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

  /** Key of this process for salts of unknown users. */
  private final byte[] key = new byte[Hmac.LENGTH];

  /**
   * @param users read on each use, so that a changed file takes effect at once
   */
  public CallAuthenticator(
      TokenAuthority tokens, Supplier<Users> users, SecureRandom random, LongSupplier nanoTime) {
    this.tokens = tokens;
    this.users = users;
    this.challenges = new CallChallenges(random, nanoTime);
    random.nextBytes(key);
  }

  /** The mac of a proof. */
  static byte[] mac(byte[] key, byte[] challenge, byte[] nonce, String call) {
    byte[] name = call.getBytes(StandardCharsets.US_ASCII);
    return Hmac.of(key, "sluice call v1", challenge, nonce, name);
  }

  /** A challenge for the caller that the request names. */
  ChallengeReply challenge(ChallengeRequest request) {
    ChallengeReply.Builder reply =
        ChallengeReply.newBuilder().setChallenge(ByteString.copyFrom(challenges.next()));
    if (!request.getUser().isEmpty()) {
      Login login = login(request.getUser());
      reply.setSalt(login.salt()).setIterations(login.iterations());
    }
    return reply.build();
  }

  /**
   * Parameters with which a user derives keys.
   *
   * @param user empty for an unknown user, who gets a salt that never changes
   */
  private record Login(ByteString salt, int iterations, Optional<Users.User> user) {
    Optional<ScramVerifier> verifier() {
      return user.flatMap(Users.User::verifier);
    }
  }

  private Login login(String user) {
    Users now = users.get();
    Optional<Users.User> known = now.find(user).filter(found -> found.verifier().isPresent());
    if (known.isPresent()) {
      ScramVerifier verifier = known.get().verifier().orElseThrow();
      return new Login(ByteString.copyFrom(verifier.salt()), verifier.iterations(), known);
    }
    byte[] hash = Hmac.of(key, "sluice salt v1", user.getBytes(StandardCharsets.UTF_8));
    ByteString salt = ByteString.copyFrom(hash, 0, ScramVerifier.SALT_LENGTH);
    int choice = ByteBuffer.wrap(hash).getInt(ScramVerifier.SALT_LENGTH);
    return new Login(salt, now.iterationsOf(choice), known);
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
    Caller caller = proof.hasUser() ? user(proof, call) : keyed(proof, call);
    if (!challenges.use(challenge)) {
      throw denied("the challenge was answered before");
    }
    return caller;
  }

  private Caller user(CallProof proof, String call) throws SluiceException {
    String name = UserNames.isName(proof.getUser()) ? proof.getUser() : "?";
    Login login = login(name);
    ScramKeys.Exchange exchange =
        new ScramKeys.Exchange(
            name, login.salt(), login.iterations(), proof.getChallenge(), proof.getNonce(), call);
    byte[] storedKey = login.verifier().map(ScramVerifier::storedKey).orElse(key);
    byte[] clientKey = ScramKeys.clientKey(proof.getMac().toByteArray(), storedKey, exchange);
    if (!Hmac.same(ScramKeys.sha256(clientKey), storedKey) || login.verifier().isEmpty()) {
      // One message for an unknown user and a wrong secret.
      throw unknown("user " + name);
    }
    return new Caller(
        Caller.Kind.USER,
        name,
        login.user().orElseThrow().role(),
        "",
        Caller.ProvedBy.exchange(
            login.verifier().orElseThrow().serverKey(),
            proof.getNonce(),
            ScramKeys.exchangeKey(clientKey, exchange)));
  }

  private Caller keyed(CallProof proof, String call) throws SluiceException {
    Caller claimed = claimed(proof);
    byte[] expected =
        mac(
            claimed.provedBy().key().orElseThrow(),
            proof.getChallenge().toByteArray(),
            proof.getNonce().toByteArray(),
            call);
    if (!Hmac.same(expected, proof.getMac().toByteArray())) {
      throw unknown(claimed.text());
    }
    return claimed;
  }

  private static SluiceException unknown(String caller) {
    return denied(caller + " is unknown, or its secret is wrong");
  }

  /** The caller that the proof names, with the key that this process has for it. */
  private Caller claimed(CallProof proof) throws SluiceException {
    return switch (proof.getCallerCase()) {
      case TOKEN -> {
        TokenAuthority.Verified verified = tokens.verify(bytes(proof.getToken()));
        yield new Caller(
            Caller.Kind.APPLICATION,
            verified.token().user(),
            Role.USER,
            verified.token().application(),
            Caller.ProvedBy.key(verified.key()));
      }
      case CLUSTER_KEY -> {
        ClusterKeys.Key found =
            tokens
                .keys()
                .find(proof.getClusterKey())
                .orElseThrow(() -> denied("the cluster key of the proof is not in use"));
        yield new Caller(
            Caller.Kind.CLUSTER, found.id(), Role.USER, "", Caller.ProvedBy.key(peerKey(found)));
      }
      case USER, CALLER_NOT_SET -> throw denied("the proof names no caller");
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
