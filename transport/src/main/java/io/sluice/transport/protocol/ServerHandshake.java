package io.sluice.transport.protocol;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ConnectionGuard.Challenged;
import java.util.Optional;

/**
 * The server's end of one handshake:
 *
 * <pre>
 *  HELLO  without a token, where none is demanded    finished
 *         with a token                               CHALLENGE is sent, PROOF is expected
 *  PROOF  right                                      finished
 *  anything else                                     refused
 * </pre>
 *
 * Once it is finished, {@link #reply} is sent. Owned by the connection's executor.
 */
public final class ServerHandshake {
  private Hello hello;
  private HelloReply reply;

  /** Null unless PROOF is expected. */
  private Challenged challenged;

  /** Makes the reply to a HELLO, but for version and proof. */
  @FunctionalInterface
  public interface Greeter {
    /**
     * @throws SluiceException BAD_REQUEST (application id)
     */
    HelloReply hello(Hello hello) throws SluiceException;
  }

  /** The frame that the client has to send next. */
  public FrameType expected() {
    return challenged == null ? FrameType.HELLO : FrameType.PROOF;
  }

  /**
   * Agrees on a version, and challenges a client that brings a token.
   *
   * @return the head of CHALLENGE; empty if the handshake is finished
   * @throws SluiceException BAD_VERSION, DENIED, and what the greeter refuses
   */
  public Optional<HelloChallenge> onHello(Hello received, ConnectionGuard guard, Greeter greeter)
      throws SluiceException {
    if (received.getMinVersion() > ProtocolVersion.CURRENT
        || received.getMaxVersion() < ProtocolVersion.CURRENT) {
      throw new SluiceException(
          StatusCode.BAD_VERSION,
          "client speaks protocol versions "
              + received.getMinVersion()
              + " to "
              + received.getMaxVersion()
              + ", server speaks "
              + ProtocolVersion.CURRENT);
    }
    hello = received;
    reply = greeter.hello(received).toBuilder().setVersion(ProtocolVersion.CURRENT).build();
    challenged = guard.challenge(received).orElse(null);
    return Optional.ofNullable(challenged).map(Challenged::challenge);
  }

  /**
   * Verifies the client's proof, and adds the server's own to the reply.
   *
   * @throws SluiceException DENIED if the client does not know the token's key
   */
  public void onProof(HelloProof proof) throws SluiceException {
    reply = challenged.finish(proof, reply);
    challenged = null;
  }

  /** The HELLO of the client. */
  public Hello hello() {
    return hello;
  }

  /** The head of HELLO_REPLY, once the handshake is finished. */
  public HelloReply reply() {
    return reply;
  }
}
