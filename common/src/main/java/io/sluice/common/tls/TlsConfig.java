package io.sluice.common.tls;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * TLS configuration of a process.
 *
 * @param certificateFile certificate chain of this process; optional for a client
 * @param trustFile trusted authorities; empty: the authorities of the Java runtime
 * @param clientCertificates whether a server requests certificates from clients
 * @param peerName expected name in the certificates of peers; empty: the host of the connection
 */
public record TlsConfig(
    boolean enabled,
    Optional<Path> certificateFile,
    Optional<Path> keyFile,
    Optional<Path> trustFile,
    ClientCertificates clientCertificates,
    Optional<String> peerName) {
  /** Plain text. */
  public static final TlsConfig OFF =
      new TlsConfig(
          false,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          ClientCertificates.NONE,
          Optional.empty());

  /** Whether a server requests certificates from clients. */
  public enum ClientCertificates {
    NONE,
    OPTIONAL,
    REQUIRED
  }

  static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool("rss.security.tls.enabled")
          .defaultValue(false)
          .doc(
              "Whether all ports and connections use TLS 1.3 (security.md). Coordinators, servers"
                  + " and jobs must have equal values. Set it to `true` on networks that are not"
                  + " trusted.")
          .build();
  static final ConfigKey<String> CERTIFICATE =
      ConfigKey.string("rss.security.tls.certificate.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the certificate chain of this process, reloaded when it changes."
                  + " Coordinators and servers use rss.security.identity.file if this key is not"
                  + " set; jobs need a certificate only if coordinators require one. Set it if TLS"
                  + " has other certificates than the identities.")
          .build();
  static final ConfigKey<String> KEY =
      ConfigKey.string("rss.security.tls.key.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the private key of rss.security.tls.certificate.file, reloaded when it"
                  + " changes: unencrypted PKCS#8 with EC, RSA or Ed25519. Set it together with the"
                  + " certificate.")
          .build();
  static final ConfigKey<String> TRUST =
      ConfigKey.string("rss.security.tls.trust.file")
          .check(path -> !path.isEmpty(), "a path")
          .defaultText("the authorities of the Java runtime")
          .doc(
              "PEM file with the certificates of trusted authorities, reloaded when it changes."
                  + " Coordinators and servers use rss.security.authority.file if this key is not"
                  + " set. Set it in jobs if the certificates of the cluster are signed by a private"
                  + " authority.")
          .build();
  static final ConfigKey<String> PEER_NAME =
      ConfigKey.string("rss.security.tls.peer.name")
          .check(name -> !name.isEmpty(), "a DNS name")
          .defaultText("the host of the connection")
          .doc(
              "DNS name expected in the certificates and identities of coordinators and servers."
                  + " Set it if these processes share a certificate that does not list their hosts.")
          .build();

  /** Key of coordinators and servers only. */
  public static final ConfigKey<ClientCertificates> CLIENT_CERTIFICATES =
      ConfigKey.enumeration("rss.security.tls.client.certificates", ClientCertificates.class)
          .defaultValue(ClientCertificates.NONE)
          .doc(
              "Whether the control port requests client certificates (mutual TLS): `NONE`,"
                  + " `OPTIONAL` or `REQUIRED`; on the HTTP port they are optional, on data ports"
                  + " unused. A certificate with OU=sluice-user authenticates the user in its"
                  + " common name, like a secret. Set it if users have certificates.")
          .build();

  /** Keys of coordinators, servers and clients. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(ENABLED, CERTIFICATE, KEY, TRUST, PEER_NAME);

  /** Configuration of a server. */
  public static TlsConfig ofServer(ConfigSet set) {
    return from(set, set.get(CLIENT_CERTIFICATES));
  }

  /** Configuration of a client. */
  public static TlsConfig ofClient(ConfigSet set) {
    return from(set, ClientCertificates.NONE);
  }

  /**
   * These settings, with files that are used where none is configured.
   *
   * @param identity certificate and key
   * @param authority trusted authorities
   */
  public TlsConfig orFiles(Optional<Path> identity, Optional<Path> authority) {
    boolean isOwn = certificateFile.isPresent() || keyFile.isPresent();
    return new TlsConfig(
        enabled,
        isOwn ? certificateFile : identity,
        isOwn ? keyFile : identity,
        trustFile.or(() -> authority),
        clientCertificates,
        peerName);
  }

  private static TlsConfig from(ConfigSet set, ClientCertificates clientCertificates) {
    return new TlsConfig(
        set.get(ENABLED),
        set.findPath(CERTIFICATE),
        set.findPath(KEY),
        set.findPath(TRUST),
        clientCertificates,
        set.find(PEER_NAME));
  }
}
