package io.sluice.transport.protocol;

import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;

/**
 * Client side of one handshake:
 *
 * <pre>
 *  without a credential  HELLO ->             HELLO_REPLY  finish
 *  with a credential     HELLO -> CHALLENGE   prove
 *                        PROOF -> HELLO_REPLY finish, which verifies the server's proof
 * </pre>
 *
 * Confined to one connection; its methods are called in this order, one at a time.
 */
public final class ClientHandshake {
  private final Hello hello;

  /** Null without a credential. */
  private final ConnectionProofs proofs;

  /**
   * @param client name of the client in the server's logs
   * @param credential credential of the application; empty if connections are not authenticated
   * @param scope kind of the connection
   * @param host name of the server in its certificate
   */
  public ClientHandshake(
      String application,
      String client,
      Optional<ApplicationCredential> credential,
      ProofScope scope,
      String host) {
    Hello.Builder head =
        Hello.newBuilder()
            .setMinVersion(ProtocolVersion.CURRENT)
            .setMaxVersion(ProtocolVersion.CURRENT)
            .setApplication(application)
            .setClient(client);
    if (credential.isPresent()) {
      proofs =
          new ConnectionProofs(
              credential.get(), scope, host, new SecureRandom(), Clock.systemUTC());
      proofs.introduce(head);
    } else {
      proofs = null;
    }
    hello = head.build();
  }

  /** Head of the HELLO frame. */
  public Hello hello() {
    return hello;
  }

  /** Whether the reply to HELLO must be CHALLENGE instead of HELLO_REPLY. */
  public boolean expectsChallenge() {
    return proofs != null;
  }

  /**
   * Answers a challenge.
   *
   * @return the head of PROOF
   * @throws SluiceException DENIED if the challenge is malformed, or is not of the expected server
   */
  public HelloProof prove(HelloChallenge challenge) throws SluiceException {
    return proofs.answer(challenge);
  }

  /**
   * Completes the handshake.
   *
   * @throws SluiceException DENIED if the server does not prove that it owns the key of its
   *     certificate, BAD_VERSION if it chose another version
   */
  public HandshakeResult finish(HelloReply reply) throws SluiceException {
    if (proofs != null) {
      proofs.verify(reply);
    }
    if (reply.getVersion() != ProtocolVersion.CURRENT) {
      throw new SluiceException(
          StatusCode.BAD_VERSION,
          "server chose protocol version "
              + reply.getVersion()
              + ", this client supports "
              + ProtocolVersion.CURRENT);
    }
    return HandshakeResult.of(reply);
  }
}
