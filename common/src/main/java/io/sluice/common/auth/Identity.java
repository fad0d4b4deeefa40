package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Subject;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.common.tls.PemFiles;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Identity of a coordinator or server: a private key, and the certificate of an authority for it.
 * Text form: PEM with the private key (PKCS#8, P-256) and the one certificate. Immutable.
 */
public final class Identity {
  private final PrivateKey key;
  private final ProcessCertificate certificate;

  private Identity(PrivateKey key, ProcessCertificate certificate) {
    this.key = key;
    this.certificate = certificate;
  }

  /**
   * Creates an identity in its text form, which is secret.
   *
   * @param name label for people
   * @param hosts DNS names and addresses at which other processes and clients reach this one
   */
  public static String create(
      CertificateAuthority authority,
      ProcessRole role,
      String name,
      List<String> hosts,
      Validity validity) {
    if (hosts.isEmpty()) {
      throw new IllegalArgumentException("an identity needs at least one host");
    }
    return authority.issue(new Subject(role.unit(), name, hosts), validity);
  }

  /**
   * Parses an identity.
   *
   * @throws IllegalArgumentException with the problem; the message has no part of the key
   */
  public static Identity parse(String pem) {
    PrivateKey key = PemFiles.key(pem);
    List<X509Certificate> certificates = PemFiles.certificates(pem);
    if (certificates.size() != 1) {
      throw new IllegalArgumentException(
          certificates.size() + " certificates, expected one, signed directly by an authority");
    }
    X509Certificate certificate = certificates.get(0);
    ProcessCertificate parsed;
    try {
      parsed = ProcessCertificate.parse(certificate.getEncoded());
    } catch (SluiceException | CertificateEncodingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    if (!PemFiles.belongTogether(key, certificate)) {
      throw new IllegalArgumentException("the private key is not the key of the certificate");
    }
    return new Identity(key, parsed);
  }

  public ProcessCertificate certificate() {
    return certificate;
  }

  PrivateKey key() {
    return key;
  }

  /** A signature; {@code label} names its purpose. */
  public byte[] sign(String label, byte[]... parts) {
    return Signing.sign(key, label, parts);
  }

  @Override
  public String toString() {
    return "identity of " + certificate;
  }
}
