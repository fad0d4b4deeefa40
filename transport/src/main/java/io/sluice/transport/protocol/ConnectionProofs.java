package io.sluice.transport.protocol;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ProcessCertificate;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.time.Clock;

/**
 * Client side of the authentication of a connection, and the signed bytes of both sides. The client
 * signs with the key of its token, the server with the key of its certificate:
 *
 * <pre>
 *  client "sluice client v2", token, client's nonce, server's nonce, hash of the certificate
 *  server "sluice server v2", token, client's nonce, server's nonce, epoch
 * </pre>
 *
 * Proofs over a Unix domain socket have its identity as an additional last part ({@link
 * ProofScope}). Epochs are 8 bytes, little-endian. Both nonces are 32 random bytes, which prevents
 * replay. The client signs which server it has verified, so that this server cannot forward the
 * proof to another one.
 *
 * <p>For one handshake: {@link #introduce}, {@link #answer}, {@link #verify} are called in this
 * order, one at a time.
 */
public final class ConnectionProofs {
  static final int NONCE_LENGTH = 32;

  static final String CLIENT_LABEL = "sluice client v2";
  static final String SERVER_LABEL = "sluice server v2";

  private final ApplicationCredential credential;
  private final ProofScope scope;
  private final String host;
  private final Clock clock;
  private final byte[] clientNonce;
  private byte[] serverNonce;
  private ProcessCertificate server;

  /**
   * For one connection; confined to its thread.
   *
   * @param host name of the server in its certificate
   * @param clock for the validity of certificates
   */
  public ConnectionProofs(
      ApplicationCredential credential,
      ProofScope scope,
      String host,
      SecureRandom random,
      Clock clock) {
    this.credential = credential;
    this.scope = scope;
    this.host = host;
    this.clock = clock;
    this.clientNonce = nonce(random);
  }

  static byte[] nonce(SecureRandom random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  /** Adds token and nonce to HELLO. */
  public void introduce(Hello.Builder hello) {
    hello.setToken(credential.token()).setNonce(ByteString.copyFrom(clientNonce));
  }

  /**
   * Verifies the server's certificate and answers its challenge.
   *
   * @throws SluiceException DENIED if the challenge is malformed, or is not of the expected server
   */
  public HelloProof answer(HelloChallenge challenge) throws SluiceException {
    if (challenge.getNonce().size() != NONCE_LENGTH) {
      throw new SluiceException(
          StatusCode.DENIED,
          "challenge has " + challenge.getNonce().size() + " bytes, expected " + NONCE_LENGTH);
    }
    serverNonce = challenge.getNonce().toByteArray();
    server =
        credential.verify(challenge.getCertificate(), ProcessRole.SERVER, host, clock.millis());
    byte[] token = credential.token().toByteArray();
    return HelloProof.newBuilder()
        .setSignature(
            ByteString.copyFrom(
                credential.sign(
                    CLIENT_LABEL, scope.of(token, clientNonce, serverNonce, server.hash()))))
        .build();
  }

  /**
   * Verifies that the server owns the key of its certificate.
   *
   * @throws SluiceException DENIED if its proof is missing or not valid
   */
  public void verify(HelloReply reply) throws SluiceException {
    byte[] token = credential.token().toByteArray();
    boolean valid =
        server.signed(
            reply.getProof().toByteArray(),
            SERVER_LABEL,
            scope.of(token, clientNonce, serverNonce, bytes(reply.getEpoch())));
    if (!valid) {
      throw new SluiceException(
          StatusCode.DENIED, "the server did not prove that it owns the key of its certificate");
    }
  }

  static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
  }
}
