package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.netty.util.NetUtil;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Certificate of a coordinator or server: role ({@code OU=sluice-coordinator} or {@code
 * OU=sluice-server}), name ({@code CN}), hosts (subject alternative names), and a public key of
 * P-256. Parsed only; {@link Authorities} checks its signature. Immutable.
 */
public final class ProcessCertificate {
  /** Maximum length in bytes. */
  public static final int MAX_LENGTH = 2048;

  private static final int DNS_NAME = 2;
  private static final int ADDRESS = 7;
  private static final int MAX_HOSTS = 64;
  private static final int P256_BITS = 256;

  private final X509Certificate certificate;
  private final ByteString encoded;
  private final byte[] hash;
  private final ProcessRole role;
  private final String name;
  private final List<String> hosts;

  private ProcessCertificate(
      X509Certificate certificate,
      byte[] encoded,
      ProcessRole role,
      String name,
      List<String> hosts) {
    this.certificate = certificate;
    this.encoded = ByteString.copyFrom(encoded);
    this.hash = hash(encoded);
    this.role = role;
    this.name = name;
    this.hosts = List.copyOf(hosts);
  }

  /**
   * Parses a certificate.
   *
   * @param encoded DER
   * @throws SluiceException DENIED if it is not the certificate of a process
   */
  static ProcessCertificate parse(byte[] encoded) throws SluiceException {
    if (encoded.length > MAX_LENGTH) {
      throw denied(encoded.length + " bytes, maximum " + MAX_LENGTH, null);
    }
    try {
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(encoded));
      byte[] again = certificate.getEncoded();
      if (!Arrays.equals(again, encoded)) {
        throw denied("bytes around it, or another form than DER", null);
      }
      if (!(certificate.getPublicKey() instanceof ECPublicKey key)
          || key.getParams().getOrder().bitLength() != P256_BITS) {
        throw denied("its key is not of the curve P-256", null);
      }
      return of(certificate, again);
    } catch (CertificateException | InvalidNameException e) {
      throw denied("it cannot be parsed", e);
    }
  }

  private static ProcessCertificate of(X509Certificate certificate, byte[] encoded)
      throws SluiceException, CertificateException, InvalidNameException {
    List<String> units = new ArrayList<>();
    List<String> names = new ArrayList<>();
    String subject = certificate.getSubjectX500Principal().getName();
    for (Rdn part : new LdapName(subject).getRdns()) {
      String value = String.valueOf(part.getValue());
      if (part.size() == 1 && part.getType().equalsIgnoreCase("OU")) {
        units.add(value);
      } else if (part.size() == 1 && part.getType().equalsIgnoreCase("CN")) {
        names.add(value);
      }
    }
    Optional<ProcessRole> role =
        units.size() == 1 ? ProcessRole.ofUnit(units.get(0)) : Optional.empty();
    if (role.isEmpty() || names.size() != 1) {
      throw denied(
          "its subject "
              + PeerText.quoted(subject)
              + " is neither OU=sluice-coordinator,CN=… nor OU=sluice-server,CN=…",
          null);
    }
    return new ProcessCertificate(
        certificate, encoded, role.get(), names.get(0), hosts(certificate));
  }

  private static List<String> hosts(X509Certificate certificate)
      throws SluiceException, CertificateException {
    List<String> hosts = new ArrayList<>();
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    if (names != null) {
      for (List<?> one : names) {
        int type = (Integer) one.get(0);
        if (type == DNS_NAME || type == ADDRESS) {
          hosts.add(String.valueOf(one.get(1)));
        }
      }
    }
    if (hosts.isEmpty() || hosts.size() > MAX_HOSTS) {
      throw denied(hosts.size() + " hosts, expected 1 to " + MAX_HOSTS, null);
    }
    return hosts;
  }

  private static SluiceException denied(String why, Throwable cause) {
    return new SluiceException(
        StatusCode.DENIED, "the certificate of a process is not valid: " + why, cause);
  }

  private static byte[] hash(byte[] encoded) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(encoded);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java runtime", e);
    }
  }

  X509Certificate certificate() {
    return certificate;
  }

  /**
   * Requires a role and a host.
   *
   * @throws SluiceException DENIED
   */
  ProcessCertificate require(ProcessRole expected, String host) throws SluiceException {
    require(expected);
    if (!covers(host)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the certificate of "
              + this
              + " is not valid for host "
              + PeerText.quoted(host)
              + "; it lists "
              + hosts);
    }
    return this;
  }

  /**
   * Requires a role.
   *
   * @throws SluiceException DENIED
   */
  ProcessCertificate require(ProcessRole expected) throws SluiceException {
    if (role != expected) {
      throw new SluiceException(
          StatusCode.DENIED,
          "expected the certificate of a " + expected.text() + ", found that of " + this);
    }
    return this;
  }

  /** Whether the owner has signed; {@code label} names the purpose. */
  public boolean signed(byte[] signature, String label, byte[]... parts) {
    return Signing.verify(certificate.getPublicKey(), signature, label, parts);
  }

  /** The DER form. */
  public ByteString der() {
    return encoded;
  }

  /** SHA-256 of the DER form; the caller must not change it. */
  public byte[] hash() {
    return hash;
  }

  public ProcessRole role() {
    return role;
  }

  /** The common name, a label for people. */
  public String name() {
    return name;
  }

  /** DNS names and addresses of the process. */
  public List<String> hosts() {
    return hosts;
  }

  /** End of the validity in milliseconds since 1970. */
  public long expiryMs() {
    return certificate.getNotAfter().toInstant().toEpochMilli();
  }

  /**
   * Whether the certificate is valid for a host.
   *
   * @param host DNS name, or address without brackets
   */
  public boolean covers(String host) {
    byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
    if (address != null) {
      return hosts.stream()
          .map(NetUtil::createByteArrayFromIpAddressString)
          .anyMatch(one -> Arrays.equals(one, address));
    }
    String name = withoutLastDot(host.toLowerCase(Locale.ROOT));
    return hosts.stream()
        .map(one -> withoutLastDot(one.toLowerCase(Locale.ROOT)))
        .anyMatch(one -> one.equals(name) || matches(one, name));
  }

  /** As in TLS: an asterisk stands for the first part of a name. */
  private static boolean matches(String pattern, String name) {
    int dot = name.indexOf('.');
    return dot > 0 && pattern.startsWith("*.") && pattern.substring(1).equals(name.substring(dot));
  }

  private static String withoutLastDot(String name) {
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  /** For messages. */
  @Override
  public String toString() {
    return role.text() + " " + PeerText.quoted(name);
  }
}
