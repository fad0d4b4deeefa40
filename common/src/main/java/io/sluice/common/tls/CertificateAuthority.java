package io.sluice.common.tls;

import io.netty.util.NetUtil;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An authority with its private key, which signs certificates of processes and users. All keys are
 * of the curve P-256, all signatures are SHA256withECDSA, which every Java since 8 verifies.
 * Thread-safe.
 */
public final class CertificateAuthority {
  private static final String KEY = "PRIVATE KEY";
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final int MAX_HOSTS = 32;
  private static final int MAX_NAME = 64;
  private static final int SERIAL_LENGTH = 16;
  private static final int KEY_ID_LENGTH = 20;
  private static final Pattern DNS_NAME =
      Pattern.compile("(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9._-]{0,250}[A-Za-z0-9])?");

  private final PrivateKey key;
  private final X509Certificate certificate;
  private final SecureRandom random;

  private CertificateAuthority(PrivateKey key, X509Certificate certificate, SecureRandom random) {
    this.key = key;
    this.certificate = certificate;
    this.random = random;
  }

  /** First and last second in which a certificate is valid. */
  public record Validity(Instant from, Instant until) {
    public Validity {
      if (!from.isBefore(until)) {
        throw new IllegalArgumentException("certificate valid from " + from + " until " + until);
      }
    }

    /** From five minutes ago, because clocks of hosts differ, for {@code length} from now. */
    public static Validity of(Clock clock, Duration length) {
      Instant now = clock.instant();
      return new Validity(now.minus(Duration.ofMinutes(5)), now.plus(length));
    }
  }

  /**
   * Subject of a certificate.
   *
   * @param unit organizational unit, which determines what the certificate proves; empty: none
   * @param name common name
   * @param hosts DNS names and addresses at which others reach the process; empty for a user
   */
  public record Subject(String unit, String name, List<String> hosts) {
    public Subject {
      hosts = List.copyOf(hosts);
      if (name.isEmpty() || name.length() > MAX_NAME) {
        throw new IllegalArgumentException(
            "name of a certificate: expected 1 to " + MAX_NAME + " characters");
      }
      if (hosts.size() > MAX_HOSTS) {
        throw new IllegalArgumentException(
            hosts.size() + " hosts in a certificate, maximum " + MAX_HOSTS);
      }
      for (String host : hosts) {
        if (address(host) == null && !DNS_NAME.matcher(host).matches()) {
          throw new IllegalArgumentException(
              "host of a certificate: \"" + host + "\" is neither a DNS name nor an address");
        }
      }
    }
  }

  /** A new authority with a self-signed certificate. */
  public static CertificateAuthority create(String name, Validity validity, SecureRandom random) {
    KeyPair pair = keyPair(random);
    byte[] subject = distinguishedName("", name);
    byte[] extensions =
        Der.sequence(
            // An authority, which signs no further authorities.
            critical(19, Der.sequence(Der.TRUE, Der.integer(new byte[] {0}))),
            // keyCertSign and cRLSign.
            critical(15, Der.bits(1, new byte[] {0x06})),
            extension(14, Der.octets(keyId(pair.getPublic()))));
    return new CertificateAuthority(
        pair.getPrivate(),
        sign(
            pair.getPrivate(),
            subject,
            subject,
            pair.getPublic(),
            validity,
            serial(random),
            extensions),
        random);
  }

  /**
   * Parses the result of {@link #toPem}.
   *
   * @throws IllegalArgumentException with the problem; the message has no part of the key
   */
  public static CertificateAuthority parse(String pem, SecureRandom random) {
    List<X509Certificate> certificates = PemFiles.certificates(pem);
    PrivateKey key = PemFiles.key(pem);
    if (certificates.size() != 1 || !PemFiles.belongTogether(key, certificates.get(0))) {
      throw new IllegalArgumentException(
          "expected the private key of an authority and its one certificate");
    }
    return new CertificateAuthority(key, certificates.get(0), random);
  }

  /** Private key and certificate, which is secret. */
  public String toPem() {
    return PemFiles.text(KEY, key.getEncoded()) + certificatePem();
  }

  /** The certificate, which other processes trust; not secret. */
  public String certificatePem() {
    return PemFiles.text(CERTIFICATE, encoded(certificate));
  }

  public X509Certificate certificate() {
    return certificate;
  }

  /**
   * Creates a key pair and signs its certificate.
   *
   * @return PEM: the private key (PKCS#8), then the certificate. Secret
   */
  public String issue(Subject subject, Validity validity) {
    KeyPair pair = keyPair(random);
    return PemFiles.text(KEY, pair.getPrivate().getEncoded())
        + PemFiles.text(CERTIFICATE, encoded(certify(pair.getPublic(), subject, validity)));
  }

  /** Signs a certificate for a key. */
  X509Certificate certify(PublicKey of, Subject subject, Validity validity) {
    byte[] clientAuth = Der.identifier(1, 3, 6, 1, 5, 5, 7, 3, 2);
    List<byte[]> extensions = new ArrayList<>();
    // digitalSignature.
    extensions.add(critical(15, Der.bits(7, new byte[] {(byte) 0x80})));
    extensions.add(extension(35, Der.sequence(Der.tagged(0, keyId(certificate.getPublicKey())))));
    if (subject.hosts().isEmpty()) {
      extensions.add(extension(37, Der.sequence(clientAuth)));
    } else {
      byte[] serverAuth = Der.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1);
      extensions.add(extension(37, Der.sequence(serverAuth, clientAuth)));
      byte[][] hosts =
          subject.hosts().stream().map(CertificateAuthority::host).toArray(byte[][]::new);
      extensions.add(extension(17, Der.sequence(hosts)));
    }
    return sign(
        key,
        certificate.getSubjectX500Principal().getEncoded(),
        distinguishedName(subject.unit(), subject.name()),
        of,
        validity,
        serial(random),
        Der.sequence(extensions.toArray(byte[][]::new)));
  }

  private static X509Certificate sign(
      PrivateKey key,
      byte[] issuer,
      byte[] subject,
      PublicKey of,
      Validity validity,
      byte[] serial,
      byte[] extensions) {
    byte[] algorithm = Der.sequence(Der.identifier(1, 2, 840, 10045, 4, 3, 2));
    byte[] version3 = Der.taggedValues(0, Der.integer(new byte[] {2}));
    byte[] body =
        Der.sequence(
            version3,
            Der.integer(serial),
            algorithm,
            issuer,
            Der.sequence(Der.time(validity.from()), Der.time(validity.until())),
            subject,
            of.getEncoded(),
            Der.taggedValues(3, extensions));
    try {
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initSign(key);
      signature.update(body);
      byte[] whole = Der.sequence(body, algorithm, Der.bits(0, signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(whole));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("internal error: cannot sign a certificate", e);
    }
  }

  private static KeyPair keyPair(SecureRandom random) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is part of every Java runtime", e);
    }
  }

  private static byte[] serial(SecureRandom random) {
    byte[] serial = new byte[SERIAL_LENGTH];
    random.nextBytes(serial);
    // Positive, and not shortened by leading zeros.
    serial[0] = (byte) ((serial[0] & 0x3f) | 0x40);
    return serial;
  }

  /** Names a key, so that a certificate names the key of its issuer. */
  private static byte[] keyId(PublicKey key) {
    try {
      return Arrays.copyOf(
          MessageDigest.getInstance("SHA-256").digest(key.getEncoded()), KEY_ID_LENGTH);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java runtime", e);
    }
  }

  private static byte[] distinguishedName(String unit, String name) {
    byte[] commonName = attribute(3, name);
    return unit.isEmpty()
        ? Der.sequence(commonName)
        : Der.sequence(attribute(11, unit), commonName);
  }

  private static byte[] attribute(int number, String value) {
    return Der.set(Der.sequence(Der.identifier(2, 5, 4, number), Der.utf8(value)));
  }

  private static byte[] extension(int number, byte[] value) {
    return Der.sequence(Der.identifier(2, 5, 29, number), Der.octets(value));
  }

  private static byte[] critical(int number, byte[] value) {
    return Der.sequence(Der.identifier(2, 5, 29, number), Der.TRUE, Der.octets(value));
  }

  private static byte[] host(String host) {
    byte[] address = address(host);
    return address == null
        ? Der.tagged(2, host.getBytes(java.nio.charset.StandardCharsets.US_ASCII))
        : Der.tagged(7, address);
  }

  /** Null for a name. */
  private static byte[] address(String host) {
    return NetUtil.createByteArrayFromIpAddressString(host);
  }

  private static byte[] encoded(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("internal error: cannot encode a certificate", e);
    }
  }

  @Override
  public String toString() {
    return "authority " + certificate.getSubjectX500Principal();
  }
}
