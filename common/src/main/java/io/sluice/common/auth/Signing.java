package io.sluice.common.auth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;

/**
 * Signatures (SHA256withECDSA, in DER) over a label, which names the purpose of the signature, and
 * parts. The label and each part are preceded by their length in 4 bytes, little-endian, so that
 * the input is unambiguous.
 */
final class Signing {
  /** Maximum length of a signature with a key of P-256, in bytes. */
  static final int MAX_LENGTH = 72;

  private static final String ALGORITHM = "SHA256withECDSA";

  private Signing() {}

  static byte[] sign(PrivateKey key, String label, byte[]... parts) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(key);
      add(signature, label, parts);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("internal error: cannot sign with a key of P-256", e);
    }
  }

  static boolean verify(PublicKey key, byte[] signed, String label, byte[]... parts) {
    if (signed.length > MAX_LENGTH) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initVerify(key);
      add(signature, label, parts);
      return signature.verify(signed);
    } catch (SignatureException e) {
      // Not a signature.
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("internal error: cannot verify with a key of P-256", e);
    }
  }

  private static void add(Signature signature, String label, byte[]... parts)
      throws SignatureException {
    add(signature, label.getBytes(StandardCharsets.US_ASCII));
    for (byte[] part : parts) {
      add(signature, part);
    }
  }

  private static void add(Signature signature, byte[] part) throws SignatureException {
    signature.update(
        ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(part.length).array());
    signature.update(part);
  }
}
