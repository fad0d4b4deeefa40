package io.sluice.common.tls;

import io.sluice.common.tls.CertificateAuthority.Subject;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.CertificateEncodingException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * Certificates for TLS of tests. Each has an authority of its own, so that a process that trusts
 * one of them trusts no other one.
 */
public final class TestCertificates {
  private static final Validity VALID = Validity.of(Clock.systemUTC(), Duration.ofDays(2));

  private TestCertificates() {}

  /**
   * Writes the PEM files {@code NAME.crt}, with the authority as its second certificate, and {@code
   * NAME.key}. Existing files are replaced.
   *
   * @param directory directory without access for other users
   * @param name file name and common name
   * @param host DNS name or address in the certificate
   */
  public static void write(Path directory, String name, String host) throws IOException {
    write(directory, name, new Subject("", name, List.of(host)));
  }

  /** Writes the certificate and key of a user: {@code USER.crt} and {@code USER.key}. */
  public static void writeOfUser(Path directory, String user) throws IOException {
    write(directory, user, new Subject("sluice-user", user, List.of()));
  }

  private static void write(Path directory, String name, Subject subject) throws IOException {
    CertificateAuthority authority = authority(name);
    String issued = authority.issue(subject, VALID);
    int certificate = issued.indexOf("-----BEGIN CERTIFICATE");
    PemFiles.writeSecret(directory.resolve(name + ".key"), issued.substring(0, certificate));
    PemFiles.writeSecret(
        directory.resolve(name + ".crt"),
        issued.substring(certificate) + authority.certificatePem());
  }

  /** As {@link #write(Path, String, String)}, with a given key. */
  static void write(Path directory, String name, String host, KeyPair pair) throws IOException {
    CertificateAuthority authority = authority(name);
    PemFiles.writeSecret(
        directory.resolve(name + ".key"),
        PemFiles.text("PRIVATE KEY", pair.getPrivate().getEncoded()));
    try {
      PemFiles.writeSecret(
          directory.resolve(name + ".crt"),
          PemFiles.text(
                  "CERTIFICATE",
                  authority
                      .certify(pair.getPublic(), new Subject("", name, List.of(host)), VALID)
                      .getEncoded())
              + authority.certificatePem());
    } catch (CertificateEncodingException e) {
      throw new IOException(e);
    }
  }

  private static CertificateAuthority authority(String name) {
    return CertificateAuthority.create("authority of " + name, VALID, new SecureRandom());
  }
}
