package io.sluice.common.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses certificates and keys in PEM format. */
final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private PemFiles() {}

  /**
   * Parses certificates.
   *
   * @throws IllegalArgumentException if there is no certificate, or one cannot be parsed
   */
  static List<X509Certificate> certificates(String text) {
    List<X509Certificate> found = new ArrayList<>();
    try {
      for (Certificate one :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))) {
        found.add((X509Certificate) one);
      }
    } catch (CertificateException e) {
      throw new IllegalArgumentException("not PEM certificates: " + e.getMessage(), e);
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("the file has no PEM certificate");
    }
    return List.copyOf(found);
  }

  /**
   * Parses an unencrypted PKCS#8 key.
   *
   * @throws IllegalArgumentException if there is no valid key; the message never contains a part of
   *     the key
   */
  static PrivateKey key(String text) {
    Matcher matcher = KEY.matcher(text);
    if (!matcher.find()) {
      throw new IllegalArgumentException(
          "the file has no PKCS#8 key (BEGIN PRIVATE KEY); convert it with `openssl pkcs8 -topk8"
              + " -nocrypt`");
    }
    PKCS8EncodedKeySpec encoded;
    try {
      encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the key is not Base64");
    }
    GeneralSecurityException last = null;
    for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (GeneralSecurityException e) {
        // Try the next algorithm.
        last = e;
      }
    }
    throw new IllegalArgumentException("the key is neither EC, RSA nor Ed25519", last);
  }

  /** Whether key and certificate match, to detect a pair of which only one file was replaced. */
  static boolean belongTogether(PrivateKey key, X509Certificate certificate) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> "Ed25519";
        };
    byte[] sample = {1, 2, 3};
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(sample);
      byte[] signature = signing.sign();
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(certificate);
      verifying.update(sample);
      return verifying.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
