package io.sluice.transport.protocol;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.TokenAuthority;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionProofs.TokenMac;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;

/** Server side of the authentication of connections. Thread-safe. */
public final class ConnectionGuard {
  /** Guard of a server without a cluster secret, which accepts all clients. */
  public static final ConnectionGuard OPEN = new ConnectionGuard(null, false, null);

  private final TokenAuthority tokens;
  private final boolean required;
  private final SecureRandom random;

  /**
   * @param required whether a connection without a token is refused; a connection with a token must
   *     always prove it
   */
  public ConnectionGuard(TokenAuthority tokens, boolean required, SecureRandom random) {
    this.tokens = tokens;
    this.required = required;
    this.random = random;
  }

  /** Guard of a cluster process: {@link #OPEN} without a cluster secret. */
  public static ConnectionGuard of(ClusterSecurity security) {
    return security
        .tokens()
        .map(tokens -> new ConnectionGuard(tokens, security.required(), new SecureRandom()))
        .orElse(OPEN);
  }

  /** A challenged connection. Used once. */
  public static final class Challenged {
    private final TokenAuthority tokens;
    private final TokenAuthority.Verified verified;
    private final TokenMac mac;
    private final byte[] token;
    private final byte[] clientNonce;
    private final byte[] serverNonce;

    private Challenged(
        TokenAuthority tokens,
        TokenAuthority.Verified verified,
        ProofScope scope,
        byte[] token,
        byte[] clientNonce,
        byte[] serverNonce) {
      this.tokens = tokens;
      this.verified = verified;
      this.mac = scope.of(verified::mac);
      this.token = token;
      this.clientNonce = clientNonce;
      this.serverNonce = serverNonce;
    }

    /** Head of the CHALLENGE frame. */
    public HelloChallenge challenge() {
      return HelloChallenge.newBuilder().setNonce(ByteString.copyFrom(serverNonce)).build();
    }

    /**
     * Completes the handshake.
     *
     * @param reply reply to HELLO without the proof
     * @return the reply with this server's proof
     * @throws SluiceException DENIED if the client does not know the token's key
     */
    public HelloReply finish(HelloProof proof, HelloReply reply) throws SluiceException {
      byte[] expected = ConnectionProofs.ofClient(mac, token, clientNonce, serverNonce);
      if (!MessageDigest.isEqual(expected, proof.getMac().toByteArray())) {
        throw new SluiceException(
            StatusCode.DENIED, "the client did not prove that it knows the key of its token");
      }
      return reply.toBuilder()
          .setProof(
              ByteString.copyFrom(
                  ConnectionProofs.ofServer(
                      mac, token, clientNonce, serverNonce, reply.getEpoch())))
          .build();
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
   * Checks a HELLO.
   *
   * @param scope kind of the connection
   * @return empty if no proof is required
   * @throws SluiceException DENIED if the token is missing or not valid
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
    byte[] token = hello.getToken().toByteArray();
    TokenAuthority.Verified verified = verified(token, hello.getApplication());
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
            verified,
            scope,
            token,
            hello.getNonce().toByteArray(),
            ConnectionProofs.nonce(random)));
  }

  private TokenAuthority.Verified verified(byte[] token, String application)
      throws SluiceException {
    TokenAuthority.Verified verified = tokens.verify(token);
    if (!verified.application().equals(application)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the token of application "
              + PeerText.quoted(verified.application())
              + " is not valid for application "
              + PeerText.quoted(application));
    }
    return verified;
  }
}
