package io.sluice.transport.protocol;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Identity;
import io.sluice.common.auth.TokenVerifier;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/** Server side of the authentication of connections. Thread-safe. */
public final class ConnectionGuard {
  /** Guard of a server without an identity, which accepts all clients. */
  public static final ConnectionGuard OPEN = new ConnectionGuard(null, false, null, Runnable::run);

  private final TokenVerifier tokens;
  private final boolean required;
  private final SecureRandom random;
  private final Executor signatures;

  /**
   * @param required whether a connection without a token is refused; a connection with a token must
   *     always prove it
   * @param signatures verifies and creates signatures, each for about a millisecond
   */
  public ConnectionGuard(
      TokenVerifier tokens, boolean required, SecureRandom random, Executor signatures) {
    this.tokens = tokens;
    this.required = required;
    this.random = random;
    this.signatures = signatures;
  }

  /**
   * Guard of a cluster process: {@link #OPEN} without an identity.
   *
   * @param signatures see the constructor
   */
  public static ConnectionGuard of(ClusterSecurity security, Executor signatures) {
    return security
        .tokens()
        .map(
            tokens ->
                new ConnectionGuard(tokens, security.required(), new SecureRandom(), signatures))
        .orElse(OPEN);
  }

  /**
   * Verifies a proof on the threads for signatures.
   *
   * @param verification see {@link ServerHandshake#onProof}
   * @param done receives the reply with this server's proof, or the reason of a refusal, on such a
   *     thread. BUSY: too many proofs are waiting
   */
  public void verify(
      Callable<HelloReply> verification, BiConsumer<HelloReply, SluiceException> done) {
    try {
      signatures.execute(() -> done(verification, done));
    } catch (RejectedExecutionException e) {
      done.accept(
          null,
          new SluiceException(
              StatusCode.BUSY, "too many new connections prove their application; retry later"));
    }
  }

  private static void done(
      Callable<HelloReply> verification, BiConsumer<HelloReply, SluiceException> done) {
    HelloReply reply;
    try {
      reply = verification.call();
    } catch (SluiceException e) {
      done.accept(null, e);
      return;
    } catch (Exception e) {
      done.accept(null, new SluiceException(StatusCode.INTERNAL, "cannot verify a proof: " + e, e));
      return;
    }
    done.accept(reply, null);
  }

  /** A challenged connection. Used once. */
  public static final class Challenged {
    private final TokenVerifier tokens;
    private final ProofScope scope;
    private final Identity identity;
    private final ByteString token;
    private final byte[] clientNonce;
    private final byte[] serverNonce;

    /** Null until the proof was verified. */
    private volatile TokenVerifier.Verified verified;

    private Challenged(
        TokenVerifier tokens,
        ProofScope scope,
        ByteString token,
        byte[] clientNonce,
        byte[] serverNonce) {
      this.tokens = tokens;
      this.scope = scope;
      // The same one in challenge and proof, even if the file changes between them.
      this.identity = tokens.process().identity();
      this.token = token;
      this.clientNonce = clientNonce;
      this.serverNonce = serverNonce;
    }

    /** Head of the CHALLENGE frame. */
    public HelloChallenge challenge() {
      return HelloChallenge.newBuilder()
          .setNonce(ByteString.copyFrom(serverNonce))
          .setCertificate(identity.certificate().der())
          .build();
    }

    /**
     * Completes the handshake: about a millisecond.
     *
     * @param reply reply to HELLO without the proof
     * @return the reply with this server's proof
     * @throws SluiceException DENIED if the token is not valid, or the client does not own its key
     */
    public HelloReply finish(HelloProof proof, HelloReply reply) throws SluiceException {
      byte[] bytes = token.toByteArray();
      TokenVerifier.Verified found = tokens.verify(token);
      boolean valid =
          found.signed(
              proof.getSignature().toByteArray(),
              ConnectionProofs.CLIENT_LABEL,
              scope.of(bytes, clientNonce, serverNonce, identity.certificate().hash()));
      if (!valid) {
        throw new SluiceException(
            StatusCode.DENIED,
            "the client did not prove to this server that it owns the key of its token");
      }
      verified = found;
      byte[] signature =
          identity.sign(
              ConnectionProofs.SERVER_LABEL,
              scope.of(bytes, clientNonce, serverNonce, ConnectionProofs.bytes(reply.getEpoch())));
      return reply.toBuilder().setProof(ByteString.copyFrom(signature)).build();
    }

    /**
     * Checks the token again.
     *
     * @throws SluiceException TOKEN_EXPIRED; DENIED if the token was revoked
     */
    void check() throws SluiceException {
      tokens.check(verified);
    }
  }

  /** Checks a HELLO of a data connection. */
  Optional<Challenged> challenge(Hello hello) throws SluiceException {
    return challenge(hello, ProofScope.DATA);
  }

  /**
   * Checks a HELLO, without its signatures.
   *
   * @param scope kind of the connection
   * @return empty if no proof is required
   * @throws SluiceException DENIED if the token is missing, malformed, expired, or of another
   *     application
   */
  Optional<Challenged> challenge(Hello hello, ProofScope scope) throws SluiceException {
    if (tokens == null || hello.getToken().isEmpty()) {
      if (required) {
        throw new SluiceException(
            StatusCode.DENIED,
            "this cluster requires authentication, but the client sent no token");
      }
      return Optional.empty();
    }
    String claimed = tokens.claimedApplication(hello.getToken());
    if (!claimed.equals(hello.getApplication())) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the token of application "
              + PeerText.quoted(claimed)
              + " is not valid for application "
              + PeerText.quoted(hello.getApplication()));
    }
    if (hello.getNonce().size() != ConnectionProofs.NONCE_LENGTH) {
      throw new SluiceException(
          StatusCode.DENIED,
          "HELLO has a nonce of "
              + hello.getNonce().size()
              + " bytes, expected "
              + ConnectionProofs.NONCE_LENGTH);
    }
    return Optional.of(
        new Challenged(
            tokens,
            scope,
            hello.getToken(),
            hello.getNonce().toByteArray(),
            ConnectionProofs.nonce(random)));
  }
}
