package io.sluice.common.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Certificates and keys in PEM format. One text can have both: parsing the ones ignores the others.
 */
public final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private static final Pattern BEGIN = Pattern.compile("-----BEGIN CERTIFICATE-----");
  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----");

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private PemFiles() {}

  /** The text form of encoded bytes: {@code what} is CERTIFICATE or PRIVATE KEY. */
  static String text(String what, byte[] bytes) {
    return "-----BEGIN "
        + what
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
        + "\n-----END "
        + what
        + "-----\n";
  }

  /** Writes a file that only its owner can read; an existing file is replaced at once. */
  public static Path writeSecret(Path file, String text) throws IOException {
    Path partial = file.resolveSibling(file.getFileName() + ".partial");
    Files.deleteIfExists(partial);
    Files.createFile(partial, OWNER_ONLY);
    Files.writeString(partial, text);
    return Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Parses certificates.
   *
   * @throws IllegalArgumentException if there is no certificate, or one cannot be parsed
   */
  public static List<X509Certificate> certificates(String text) {
    List<X509Certificate> found = new ArrayList<>();
    Matcher matcher = CERTIFICATE.matcher(text);
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      while (matcher.find()) {
        found.add(
            (X509Certificate)
                factory.generateCertificate(
                    new ByteArrayInputStream(matcher.group().getBytes(StandardCharsets.US_ASCII))));
      }
    } catch (CertificateException e) {
      throw new IllegalArgumentException("not PEM certificates: " + e.getMessage(), e);
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("the file has no PEM certificate");
    }
    if (found.size() != BEGIN.matcher(text).results().count()) {
      throw new IllegalArgumentException(
          "certificate " + (found.size() + 1) + " of the file is not complete");
    }
    return List.copyOf(found);
  }

  /**
   * Parses an unencrypted PKCS#8 key.
   *
   * @throws IllegalArgumentException if there is no valid key; the message never contains a part of
   *     the key
   */
  public static PrivateKey key(String text) {
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
  public static boolean belongTogether(PrivateKey key, X509Certificate certificate) {
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
      verifying.initVerify(certificate.getPublicKey());
      verifying.update(sample);
      return verifying.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
