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
import io.sluice.proto.RunFileRequest;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;

/** The server's side of proving data connections. Thread-safe. */
public final class ConnectionGuard {
  /** Of a server without a secret, which serves everybody. */
  public static final ConnectionGuard OPEN = new ConnectionGuard(null, false, null);

  private final TokenAuthority tokens;
  private final boolean required;
  private final SecureRandom random;

  /**
   * @param required whether a connection without a token is refused; one with a token has to prove
   *     it in any case
   */
  public ConnectionGuard(TokenAuthority tokens, boolean required, SecureRandom random) {
    this.tokens = tokens;
    this.required = required;
    this.random = random;
  }

  /** Of a process of a cluster: open where it has no secret. */
  public static ConnectionGuard of(ClusterSecurity security) {
    return security
        .tokens()
        .map(tokens -> new ConnectionGuard(tokens, security.required(), new SecureRandom()))
        .orElse(OPEN);
  }

  /** A connection that has been challenged. Used once. */
  public static final class Challenged {
    private final TokenAuthority.Verified verified;
    private final byte[] token;
    private final byte[] clientNonce;
    private final byte[] serverNonce;

    private Challenged(
        TokenAuthority.Verified verified, byte[] token, byte[] clientNonce, byte[] serverNonce) {
      this.verified = verified;
      this.token = token;
      this.clientNonce = clientNonce;
      this.serverNonce = serverNonce;
    }

    /** What to send. */
    public HelloChallenge challenge() {
      return HelloChallenge.newBuilder().setNonce(ByteString.copyFrom(serverNonce)).build();
    }

    /**
     * Ends the handshake.
     *
     * @param reply to the HELLO
     * @return the reply with this server's own proof
     * @throws SluiceException DENIED if the client does not know the token's key
     */
    public HelloReply finish(HelloProof proof, HelloReply reply) throws SluiceException {
      byte[] right = ConnectionProofs.ofClient(verified::mac, token, clientNonce, serverNonce);
      if (!MessageDigest.isEqual(right, proof.getMac().toByteArray())) {
        throw new SluiceException(
            StatusCode.DENIED, "the client did not prove that the token is its own");
      }
      return reply.toBuilder()
          .setProof(
              ByteString.copyFrom(
                  ConnectionProofs.ofServer(
                      verified::mac, token, clientNonce, serverNonce, reply.getEpoch())))
          .build();
    }
  }

  /**
   * Looks at a HELLO.
   *
   * @return empty if the connection need not prove itself
   * @throws SluiceException DENIED if it cannot
   */
  public Optional<Challenged> challenge(Hello hello) throws SluiceException {
    if (tokens == null || hello.getToken().isEmpty()) {
      if (required) {
        throw new SluiceException(
            StatusCode.DENIED,
            "this cluster demands authentication, and the connection brings no token");
      }
      return Optional.empty();
    }
    byte[] token = hello.getToken().toByteArray();
    TokenAuthority.Verified verified = verified(token, hello.getApplication());
    if (hello.getNonce().size() != ConnectionProofs.NONCE_LENGTH) {
      throw new SluiceException(
          StatusCode.DENIED, "HELLO with a nonce of " + hello.getNonce().size() + " bytes");
    }
    return Optional.of(
        new Challenged(
            verified, token, hello.getNonce().toByteArray(), ConnectionProofs.nonce(random)));
  }

  private TokenAuthority.Verified verified(byte[] token, String application)
      throws SluiceException {
    TokenAuthority.Verified verified = tokens.verify(token);
    if (!verified.application().equals(application)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "a token of application "
              + PeerText.quoted(verified.application())
              + " is no good for application "
              + PeerText.quoted(application));
    }
    return verified;
  }

  /**
   * Checks the first request of a connection for run files.
   *
   * @param epoch of this server, which the proof is about
   * @throws SluiceException DENIED if it does not prove its application
   */
  public void checkRunFiles(RunFileRequest request, long epoch) throws SluiceException {
    if (tokens == null || request.getToken().isEmpty()) {
      if (required) {
        throw new SluiceException(StatusCode.DENIED, "no token");
      }
      return;
    }
    byte[] token = request.getToken().toByteArray();
    TokenAuthority.Verified verified = verified(token, request.getShuffle().getApplication());
    if (!MessageDigest.isEqual(
        ConnectionProofs.ofRunFiles(verified::mac, token, epoch), request.getMac().toByteArray())) {
      throw new SluiceException(StatusCode.DENIED, "the token is not proved");
    }
  }
}
