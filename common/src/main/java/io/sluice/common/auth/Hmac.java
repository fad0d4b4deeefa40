package io.sluice.common.auth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256 over a label, which names the purpose of the result, and parts. The label and each
 * part are preceded by their length in 4 bytes, little-endian, so that the input is unambiguous.
 */
final class Hmac {
  /** Length of a result in bytes. */
  static final int LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private Hmac() {}

  static byte[] of(byte[] key, String label, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      add(mac, label.getBytes(StandardCharsets.US_ASCII));
      for (byte[] part : parts) {
        add(mac, part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every Java runtime", e);
    }
  }

  /** HMAC-SHA256 of a text alone, as RFC 5802 uses it. */
  static byte[] raw(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every Java runtime", e);
    }
  }

  private static void add(Mac mac, byte[] part) {
    mac.update(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(part.length).array());
    mac.update(part);
  }

  /** Compares two results in constant time. */
  static boolean same(byte[] expected, byte[] actual) {
    return MessageDigest.isEqual(expected, actual);
  }
}
