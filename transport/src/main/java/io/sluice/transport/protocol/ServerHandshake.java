package io.sluice.transport.protocol;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard.Challenged;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Server side of one handshake:
 *
 * <pre>
 *  HELLO  without a token, if none is required       finished
 *         with a token                               CHALLENGE is sent, PROOF is expected
 *  PROOF  valid                                      finished
 *  anything else                                     refused
 * </pre>
 *
 * When it is finished, {@link #reply} is sent. Confined to the connection's executor.
 */
public final class ServerHandshake {
  private final ProofScope scope;
  private Hello hello;
  private HelloReply reply;

  /** Null unless PROOF is expected. */
  private Challenged challenged;

  /** Null without a proof. */
  private Challenged proved;

  /** Creates the reply to a HELLO without version and proof. */
  @FunctionalInterface
  public interface HelloHandler {
    /**
     * @throws SluiceException BAD_REQUEST (application id)
     */
    HelloReply hello(Hello hello) throws SluiceException;
  }

  /** For a data connection. */
  public ServerHandshake() {
    this(ProofScope.DATA);
  }

  /**
   * @param scope kind of the connection
   */
  public ServerHandshake(ProofScope scope) {
    this.scope = scope;
  }

  /** Type of the next frame that the client must send. */
  public FrameType expected() {
    return challenged == null ? FrameType.HELLO : FrameType.PROOF;
  }

  /**
   * Negotiates the version, and challenges a client with a token.
   *
   * @return the head of CHALLENGE; empty if the handshake is finished
   * @throws SluiceException BAD_VERSION, DENIED, and codes of the helloHandler
   */
  public Optional<HelloChallenge> onHello(
      Hello received, ConnectionGuard guard, HelloHandler helloHandler) throws SluiceException {
    if (received.getMinVersion() > ProtocolVersion.CURRENT
        || received.getMaxVersion() < ProtocolVersion.CURRENT) {
      throw new SluiceException(
          StatusCode.BAD_VERSION,
          "client supports protocol versions "
              + received.getMinVersion()
              + " to "
              + received.getMaxVersion()
              + ", server supports "
              + ProtocolVersion.CURRENT);
    }
    hello = received;
    reply = helloHandler.hello(received).toBuilder().setVersion(ProtocolVersion.CURRENT).build();
    challenged = guard.challenge(received, scope).orElse(null);
    return Optional.ofNullable(challenged).map(Challenged::challenge);
  }

  /**
   * Receives the client's proof.
   *
   * @return verifies it and creates the server's proof, which takes about a millisecond; the caller
   *     runs it on any thread, and passes its result to {@link #onProved}. Fails with
   *     SluiceException DENIED if the client does not own the token's key
   */
  public Callable<HelloReply> onProof(HelloProof proof) {
    Challenged expecting = challenged;
    HelloReply unproved = reply;
    return () -> expecting.finish(proof, unproved);
  }

  /** The client's proof is valid: the handshake is finished. */
  public void onProved(HelloReply withProof) {
    reply = withProof;
    proved = challenged;
    challenged = null;
  }

  /** The client's HELLO. */
  public Hello hello() {
    return hello;
  }

  /**
   * Checks the client's token again, after the handshake is finished.
   *
   * @throws SluiceException TOKEN_EXPIRED; DENIED if the token was revoked. The connection must be
   *     closed
   */
  public void checkToken() throws SluiceException {
    if (proved != null) {
      proved.check();
    }
  }

  /** The head of HELLO_REPLY, when the handshake is finished. */
  public HelloReply reply() {
    return reply;
  }
}
