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
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Verifies the proofs of control calls. Thread-safe. */
public final class CallAuthenticator {
  private final OwnIdentity process;
  private final TokenVerifier tokens;
  private final Supplier<Users> users;
  private final CallChallenges challenges;

  /** Key of this process for salts of unknown users. */
  private final byte[] key = new byte[Hmac.LENGTH];

  private volatile Identities identities;

  /**
   * Identities of this process for which challenges can be open: a call that began before the file
   * changed is verified with the identity that its caller knows.
   *
   * @param replaced null until the file changes
   */
  private record Identities(Identity newest, Identity replaced) {}

  /**
   * @param users read on each use, so that a changed file takes effect at once
   */
  public CallAuthenticator(
      TokenVerifier tokens, Supplier<Users> users, SecureRandom random, LongSupplier nanoTime) {
    this.process = tokens.process();
    this.tokens = tokens;
    this.users = users;
    this.challenges = new CallChallenges(random, nanoTime);
    this.identities = new Identities(process.identity(), null);
    random.nextBytes(key);
  }

  /**
   * A caller whose proof is valid.
   *
   * @param replyProof proof of this process for the reply
   */
  record Authenticated(Caller caller, ByteString replyProof) {}

  static byte[] ascii(String call) {
    return call.getBytes(StandardCharsets.US_ASCII);
  }

  /** A challenge for the caller that the request names. */
  ChallengeReply challenge(ChallengeRequest request) {
    ProcessCertificate certificate = identity().certificate();
    ChallengeReply.Builder reply =
        ChallengeReply.newBuilder()
            .setChallenge(ByteString.copyFrom(challenges.next(certificate.hash())))
            .setCertificate(certificate.der());
    if (!request.getUser().isEmpty()) {
      Login login = login(request.getUser());
      reply.setSalt(login.salt()).setIterations(login.iterations());
    }
    return reply.build();
  }

  private Identity identity() {
    Identity now = process.identity();
    if (identities.newest() != now) {
      synchronized (this) {
        if (identities.newest() != now) {
          identities = new Identities(now, identities.newest());
        }
      }
    }
    return now;
  }

  /**
   * The identity that this process had in a challenge.
   *
   * @throws SluiceException DENIED
   */
  private Identity challenger(byte[] challenge) throws SluiceException {
    Identities known = identities;
    if (challenges.isOurs(challenge, known.newest().certificate().hash())) {
      return known.newest();
    }
    if (known.replaced() != null
        && challenges.isOurs(challenge, known.replaced().certificate().hash())) {
      return known.replaced();
    }
    throw denied("the challenge has expired or was not issued by this process");
  }

  /**
   * Parameters with which a user derives keys.
   *
   * @param user empty for an unknown user, who gets a salt that never changes
   */
  private record Login(ByteString salt, int iterations, Optional<Users.User> user) {
    List<ScramVerifier> verifiers() {
      return user.map(Users.User::verifiers).orElse(List.of());
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
   * Whether the verification of a proof takes a millisecond, because it has a signature; otherwise
   * it takes microseconds.
   */
  static boolean isSigned(CallProof proof) {
    return proof.hasToken() || proof.hasCertificate();
  }

  /**
   * Verifies a proof.
   *
   * @param call full name, {@code package.Service/Method}
   * @throws SluiceException DENIED
   */
  Authenticated authenticate(CallProof proof, String call) throws SluiceException {
    byte[] challenge = proof.getChallenge().toByteArray();
    Identity called = challenger(challenge);
    byte[] nonce = proof.getNonce().toByteArray();
    if (nonce.length != CallProofs.NONCE_LENGTH) {
      throw denied(
          "nonce of %d bytes, expected %d".formatted(nonce.length, CallProofs.NONCE_LENGTH));
    }
    Authenticated caller = proof.hasUser() ? user(proof, call) : signed(proof, call, called);
    if (!challenges.use(challenge)) {
      throw denied("the challenge was answered before");
    }
    return caller;
  }

  private Authenticated user(CallProof proof, String call) throws SluiceException {
    String name = UserNames.isName(proof.getUser()) ? proof.getUser() : "?";
    Login login = login(name);
    ScramKeys.Exchange exchange =
        new ScramKeys.Exchange(
            name, login.salt(), login.iterations(), proof.getChallenge(), proof.getNonce(), call);
    byte[] clientKey = null;
    ScramVerifier proved = null;
    // The time does not depend on the number of verifiers.
    for (int i = 0; i < Users.MAX_VERIFIERS; i++) {
      ScramVerifier one = i < login.verifiers().size() ? login.verifiers().get(i) : null;
      byte[] storedKey = one == null ? key : one.storedKey();
      byte[] found = ScramKeys.clientKey(proof.getMac().toByteArray(), storedKey, exchange);
      if (Hmac.same(ScramKeys.sha256(found), storedKey) && one != null) {
        clientKey = found;
        proved = one;
      }
    }
    if (proved == null) {
      // One message for an unknown user and a wrong secret.
      throw denied("user " + name + " is unknown, or its secret is wrong");
    }
    byte[] serverKey = proved.serverKey();
    Caller caller =
        new Caller(
            Caller.Kind.USER,
            name,
            login.user().orElseThrow().role(),
            "",
            Caller.ProvedBy.exchange(
                serverKey, proof.getNonce(), ScramKeys.exchangeKey(clientKey, exchange)));
    return new Authenticated(
        caller,
        ByteString.copyFrom(
            ReplyProofs.mac(
                serverKey,
                exchange.challenge().toByteArray(),
                exchange.nonce().toByteArray(),
                exchange.call())));
  }

  private Authenticated signed(CallProof proof, String call, Identity called)
      throws SluiceException {
    byte[] challenge = proof.getChallenge().toByteArray();
    byte[] nonce = proof.getNonce().toByteArray();
    // A signature for another process, to which the caller's call was addressed, is not valid here.
    byte[][] parts = {challenge, nonce, ascii(call), called.certificate().hash()};
    byte[] signature = proof.getSignature().toByteArray();
    Caller caller;
    boolean valid;
    switch (proof.getCallerCase()) {
      case TOKEN -> {
        TokenVerifier.Verified token = tokens.verify(proof.getToken());
        valid = token.signed(signature, CallProofs.CALL_LABEL, parts);
        caller =
            new Caller(
                Caller.Kind.APPLICATION,
                token.user(),
                Role.USER,
                token.application(),
                Caller.ProvedBy.SIGNATURE);
      }
      case CERTIFICATE -> {
        ProcessCertificate certificate = process.verify(proof.getCertificate());
        valid = certificate.signed(signature, CallProofs.CALL_LABEL, parts);
        caller = Caller.process(certificate);
      }
      default -> throw denied("the proof names no caller");
    }
    if (!valid) {
      throw denied("the signature of " + caller.text() + " is not valid for this process");
    }
    return new Authenticated(
        caller,
        ByteString.copyFrom(called.sign(CallProofs.REPLY_LABEL, challenge, nonce, ascii(call))));
  }

  /** The user of a connection's certificate. */
  Caller ofCertificate(String commonName) throws SluiceException {
    return users.get().ofCertificate(commonName);
  }

  private static SluiceException denied(String message) {
    return new SluiceException(StatusCode.DENIED, message);
  }
}
