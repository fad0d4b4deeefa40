package io.sluice.transport.protocol;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * Client side of the authentication of a connection, and the proofs of both sides. Each proof is an
 * HMAC with the token's key:
 *
 * <pre>
 *  client "sluice client v1", token, client's nonce, server's nonce
 *  server "sluice server v1", token, client's nonce, server's nonce, epoch
 * </pre>
 *
 * Proofs over a Unix domain socket have its identity as an additional last part ({@link
 * ProofScope}). Epochs are 8 bytes, little-endian. Both nonces are 32 random bytes, which prevents
 * replay.
 */
public final class ConnectionProofs {
  static final int NONCE_LENGTH = 32;

  private final ApplicationCredential credential;
  private final TokenMac mac;
  private final byte[] clientNonce;
  private byte[] serverNonce;

  /** HMAC with a token's key, without access to the key. */
  @FunctionalInterface
  interface TokenMac {
    byte[] of(String label, byte[]... parts);
  }

  /** For one data connection; confined to its thread. */
  public ConnectionProofs(ApplicationCredential credential, SecureRandom random) {
    this(credential, random, ProofScope.DATA);
  }

  /** For one connection; confined to its thread. */
  public ConnectionProofs(ApplicationCredential credential, SecureRandom random, ProofScope scope) {
    this.credential = credential;
    this.mac = scope.of(credential::mac);
    this.clientNonce = nonce(random);
  }

  static byte[] nonce(SecureRandom random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  /** Adds token and nonce to HELLO. */
  public void introduce(Hello.Builder hello) {
    hello
        .setToken(ByteString.copyFrom(credential.tokenBytes()))
        .setNonce(ByteString.copyFrom(clientNonce));
  }

  /**
   * Answers a challenge.
   *
   * @throws SluiceException DENIED if the challenge is malformed
   */
  public HelloProof answer(HelloChallenge challenge) throws SluiceException {
    if (challenge.getNonce().size() != NONCE_LENGTH) {
      throw new SluiceException(
          StatusCode.DENIED,
          "challenge has " + challenge.getNonce().size() + " bytes, expected " + NONCE_LENGTH);
    }
    serverNonce = challenge.getNonce().toByteArray();
    return HelloProof.newBuilder()
        .setMac(
            ByteString.copyFrom(ofClient(mac, credential.tokenBytes(), clientNonce, serverNonce)))
        .build();
  }

  /**
   * Verifies that the server knows the cluster's secret.
   *
   * @throws SluiceException DENIED if its proof is missing or not valid
   */
  public void verify(HelloReply reply) throws SluiceException {
    byte[] expected =
        ofServer(mac, credential.tokenBytes(), clientNonce, serverNonce, reply.getEpoch());
    if (!MessageDigest.isEqual(expected, reply.getProof().toByteArray())) {
      throw new SluiceException(
          StatusCode.DENIED, "the server did not prove that it knows the cluster's secret");
    }
  }

  static byte[] ofClient(TokenMac mac, byte[] token, byte[] clientNonce, byte[] serverNonce) {
    return mac.of("sluice client v1", token, clientNonce, serverNonce);
  }

  static byte[] ofServer(
      TokenMac mac, byte[] token, byte[] clientNonce, byte[] serverNonce, long epoch) {
    return mac.of("sluice server v1", token, clientNonce, serverNonce, bytes(epoch));
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
  }
}
