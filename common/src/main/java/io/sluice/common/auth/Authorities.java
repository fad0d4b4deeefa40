package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.tls.PemFiles;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.SignatureException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The authorities of a cluster: certificates whose keys sign those of coordinators and servers.
 * Several are valid while one replaces the other. Remembers a bounded number of certificates that
 * it has verified. Thread-safe.
 */
public final class Authorities {
  /** Maximum number of certificates. */
  static final int MAX_CERTIFICATES = 8;

  /** Certificates with a valid signature that are remembered, each of at most some 10 KB. */
  private static final int MAX_VERIFIED = 1024;

  private static final String SIGNATURE = "SHA256withECDSA";
  private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
  private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

  private final List<X509Certificate> certificates;
  private final List<ByteString> encoded;

  /** By encoded certificate; guarded by itself. */
  private final Map<ByteString, Verified> verified =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteString, Verified> eldest) {
          return size() > MAX_VERIFIED;
        }
      };

  private record Verified(ProcessCertificate certificate, X509Certificate authority) {}

  private Authorities(List<X509Certificate> certificates) throws CertificateEncodingException {
    this.certificates = List.copyOf(certificates);
    List<ByteString> bytes = new ArrayList<>();
    for (X509Certificate one : certificates) {
      bytes.add(ByteString.copyFrom(one.getEncoded()));
    }
    this.encoded = List.copyOf(bytes);
  }

  /**
   * Parses PEM certificates.
   *
   * @throws IllegalArgumentException with the problem
   */
  public static Authorities parse(String pem) {
    return of(PemFiles.certificates(pem));
  }

  /**
   * Decodes the certificates that another process has sent.
   *
   * @throws SluiceException DENIED
   */
  static Authorities ofEncoded(List<byte[]> certificates) throws SluiceException {
    if (certificates.size() > MAX_CERTIFICATES
        || certificates.stream().anyMatch(one -> one.length > ProcessCertificate.MAX_LENGTH)) {
      throw new SluiceException(
          StatusCode.DENIED, "too many or too large certificates of authorities");
    }
    List<X509Certificate> found = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (byte[] one : certificates) {
        found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(one)));
      }
      return of(found);
    } catch (CertificateException | IllegalArgumentException e) {
      throw new SluiceException(
          StatusCode.DENIED, "certificates of authorities are not valid: " + e.getMessage(), e);
    }
  }

  private static Authorities of(List<X509Certificate> certificates) {
    if (certificates.isEmpty() || certificates.size() > MAX_CERTIFICATES) {
      throw new IllegalArgumentException(
          certificates.size() + " certificates, expected 1 to " + MAX_CERTIFICATES);
    }
    for (X509Certificate one : certificates) {
      if (one.getBasicConstraints() < 0) {
        throw new IllegalArgumentException(
            "the certificate of "
                + one.getSubjectX500Principal()
                + " is not that of an authority (CA:TRUE)");
      }
      if (!one.getPublicKey().getAlgorithm().equals("EC")) {
        throw new IllegalArgumentException(
            "the key of " + one.getSubjectX500Principal() + " is not an elliptic curve's (P-256)");
      }
    }
    try {
      return new Authorities(certificates);
    } catch (CertificateEncodingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  List<X509Certificate> certificates() {
    return certificates;
  }

  /** DER of each certificate. */
  List<ByteString> encoded() {
    return encoded;
  }

  /**
   * Verifies the certificate of a process: signature, dates, and use.
   *
   * @param der encoded certificate
   * @param nowMs milliseconds since 1970
   * @throws SluiceException DENIED if it is not the valid certificate of a coordinator or server
   */
  public ProcessCertificate verify(ByteString der, long nowMs) throws SluiceException {
    Verified found;
    synchronized (verified) {
      found = verified.get(der);
    }
    if (found == null) {
      if (der.size() > ProcessCertificate.MAX_LENGTH) {
        throw new SluiceException(
            StatusCode.DENIED,
            "certificate of %d bytes, maximum %d"
                .formatted(der.size(), ProcessCertificate.MAX_LENGTH));
      }
      ProcessCertificate certificate = ProcessCertificate.parse(der.toByteArray());
      found = new Verified(certificate, authority(certificate));
      synchronized (verified) {
        verified.put(der, found);
      }
    }
    if (!isValidAt(found.certificate.certificate(), nowMs) || !isValidAt(found.authority, nowMs)) {
      throw denied(found.certificate, "it, or its authority, is not valid at this time", null);
    }
    return found.certificate;
  }

  private static boolean isValidAt(X509Certificate certificate, long nowMs) {
    return nowMs >= certificate.getNotBefore().toInstant().toEpochMilli()
        && nowMs <= certificate.getNotAfter().toInstant().toEpochMilli();
  }

  private X509Certificate authority(ProcessCertificate of) throws SluiceException {
    X509Certificate certificate = of.certificate();
    List<String> uses;
    try {
      uses = certificate.getExtendedKeyUsage();
    } catch (CertificateException e) {
      throw denied(of, "its extended key usage cannot be parsed", e);
    }
    if (uses == null || !uses.contains(SERVER_AUTH) || !uses.contains(CLIENT_AUTH)) {
      throw denied(of, "its extended key usage must be serverAuth and clientAuth", null);
    }
    if (!certificate.getSigAlgName().equalsIgnoreCase(SIGNATURE)) {
      throw denied(of, "it is not signed with " + SIGNATURE, null);
    }
    SignatureException last = null;
    for (X509Certificate authority : certificates) {
      if (authority.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
        try {
          certificate.verify(authority.getPublicKey());
          return authority;
        } catch (SignatureException e) {
          // Signed by another authority of the same name: the next one is tried.
          last = e;
        } catch (GeneralSecurityException e) {
          throw denied(of, "its signature cannot be verified", e);
        }
      }
    }
    throw denied(of, "no authority of this cluster has signed it", last);
  }

  private static SluiceException denied(ProcessCertificate of, String why, Throwable cause) {
    return new SluiceException(
        StatusCode.DENIED, "the certificate of " + of + " is not valid: " + why, cause);
  }

  @Override
  public String toString() {
    return certificates.stream()
        .map(one -> one.getSubjectX500Principal().toString())
        .toList()
        .toString();
  }
}
