package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

/**
 * Key pair of an application, of the curve P-256. The driver creates it; coordinators get only the
 * public key. The private key is never printed. Immutable.
 */
public final class ApplicationKey {
  /** Length of an encoded public key (SubjectPublicKeyInfo), in bytes. */
  public static final int PUBLIC_LENGTH = 91;

  /** The encoding of a public key without its point. */
  private static final ByteString PUBLIC_PREFIX =
      ByteString.fromHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004");

  private final PrivateKey privateKey;
  private final byte[] publicKey;

  private ApplicationKey(PrivateKey privateKey, byte[] publicKey) {
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  public static ApplicationKey generate(SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair pair = generator.generateKeyPair();
      return new ApplicationKey(pair.getPrivate(), pair.getPublic().getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is part of every Java runtime", e);
    }
  }

  /** A copy of the encoded public key. */
  public byte[] publicKey() {
    return publicKey.clone();
  }

  PrivateKey privateKey() {
    return privateKey;
  }

  /** Whether bytes are an encoded public key of P-256. */
  public static boolean isPublicKey(ByteString encoded) {
    return encoded.size() == PUBLIC_LENGTH && encoded.startsWith(PUBLIC_PREFIX);
  }

  static PublicKey decodePublic(byte[] encoded) throws GeneralSecurityException {
    return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(encoded));
  }

  static PrivateKey decodePrivate(byte[] encoded) throws GeneralSecurityException {
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  @Override
  public String toString() {
    return "key of an application";
  }
}
