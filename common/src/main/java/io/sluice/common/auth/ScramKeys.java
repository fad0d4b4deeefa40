package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Keys that SCRAM-SHA-256 (RFC 5802, RFC 7677) derives from a user's secret, and the proofs that
 * they give. Never printed. Immutable.
 */
final class ScramKeys {
  private static final String LABEL = "sluice scram v1";

  private final byte[] clientKey;
  private final byte[] serverKey;

  /** What a proof refers to: the call and the parameters of the derivation. */
  record Exchange(
      String user,
      ByteString salt,
      int iterations,
      ByteString challenge,
      ByteString nonce,
      String call) {}

  private ScramKeys(byte[] clientKey, byte[] serverKey) {
    this.clientKey = clientKey;
    this.serverKey = serverKey;
  }

  /** Derives the keys. Takes some milliseconds for each 10,000 iterations. */
  static ScramKeys derive(byte[] secret, byte[] salt, int iterations) {
    char[] text = new String(secret, StandardCharsets.UTF_8).toCharArray();
    byte[] salted;
    try {
      salted =
          SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
              .generateSecret(new PBEKeySpec(text, salt, iterations, Hmac.LENGTH * Byte.SIZE))
              .getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("PBKDF2WithHmacSHA256 is part of every Java runtime", e);
    }
    return new ScramKeys(Hmac.raw(salted, "Client Key"), Hmac.raw(salted, "Server Key"));
  }

  byte[] clientKey() {
    return clientKey;
  }

  /** Key with which the called process proves its replies. */
  byte[] serverKey() {
    return serverKey;
  }

  byte[] storedKey() {
    return sha256(clientKey);
  }

  /** The client's proof: its key, masked by a signature that needs the stored key. */
  byte[] proof(Exchange exchange) {
    return xor(clientKey, signature(storedKey(), exchange));
  }

  /**
   * The client's key, from a proof.
   *
   * @return meaningless unless its SHA-256 is the stored key
   */
  static byte[] clientKey(byte[] proof, byte[] storedKey, Exchange exchange) {
    return proof.length == Hmac.LENGTH
        ? xor(proof, signature(storedKey, exchange))
        : new byte[Hmac.LENGTH];
  }

  /** Key that only the two sides of an exchange know, and that the users file does not give. */
  static byte[] exchangeKey(byte[] clientKey, Exchange exchange) {
    return Hmac.of(
        clientKey,
        "sluice exchange v1",
        exchange.challenge().toByteArray(),
        exchange.nonce().toByteArray(),
        exchange.call().getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] signature(byte[] storedKey, Exchange exchange) {
    return Hmac.of(
        storedKey,
        LABEL,
        exchange.challenge().toByteArray(),
        exchange.nonce().toByteArray(),
        exchange.call().getBytes(StandardCharsets.US_ASCII),
        exchange.user().getBytes(StandardCharsets.US_ASCII),
        exchange.salt().toByteArray(),
        ByteBuffer.allocate(Integer.BYTES).putInt(exchange.iterations()).array());
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is part of every Java runtime", e);
    }
  }

  private static byte[] xor(byte[] one, byte[] other) {
    byte[] result = new byte[Hmac.LENGTH];
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) (one[i] ^ other[i]);
    }
    return result;
  }
}
