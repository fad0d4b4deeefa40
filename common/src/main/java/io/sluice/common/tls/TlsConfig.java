package io.sluice.common.tls;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How connections are encrypted.
 *
 * @param certificateFile chain of this process; a client may do without
 * @param trustFile authorities of the others; empty: those of the Java runtime
 * @param clientCertificates whether a server asks its callers for certificates
 * @param peerName the name in the certificates of the others; empty: the host that is connected to
 */
public record TlsConfig(
    boolean enabled,
    Optional<Path> certificateFile,
    Optional<Path> keyFile,
    Optional<Path> trustFile,
    ClientCertificates clientCertificates,
    Optional<String> peerName) {
  /** In clear. */
  public static final TlsConfig OFF =
      new TlsConfig(
          false,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          ClientCertificates.NONE,
          Optional.empty());

  /** What a server wants of its callers. */
  public enum ClientCertificates {
    NONE,
    OPTIONAL,
    REQUIRED
  }

  static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool("rss.security.tls.enabled")
          .defaultValue(false)
          .doc(
              "TLS 1.3 on every port and for every connection (security.md). The same for"
                  + " coordinators, servers and jobs.")
          .build();
  static final ConfigKey<String> CERTIFICATE =
      ConfigKey.string("rss.security.tls.certificate.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with this process's certificate and those that lead to its authority. Read"
                  + " again when it changes, as are the others. A job needs none unless"
                  + " coordinators ask for certificates.")
          .build();
  static final ConfigKey<String> KEY =
      ConfigKey.string("rss.security.tls.key.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc("PEM file with the certificate's key in PKCS#8, unencrypted: EC, RSA or Ed25519.")
          .build();
  static final ConfigKey<String> TRUST =
      ConfigKey.string("rss.security.tls.trust.file")
          .check(path -> !path.isEmpty(), "a path")
          .defaultText("the authorities of the Java runtime")
          .doc("PEM file with the certificates of the authorities that the others' are checked by.")
          .build();
  static final ConfigKey<String> PEER_NAME =
      ConfigKey.string("rss.security.tls.peer.name")
          .check(name -> !name.isEmpty(), "a DNS name")
          .defaultText("the host that is connected to")
          .doc(
              "DNS name that the certificates of coordinators and servers carry, where they share"
                  + " one that does not list their hosts.")
          .build();

  /** Of coordinators and servers only. */
  public static final ConfigKey<ClientCertificates> CLIENT_CERTIFICATES =
      ConfigKey.enumeration("rss.security.tls.client.certificates", ClientCertificates.class)
          .defaultValue(ClientCertificates.NONE)
          .doc(
              "Whether callers of the control port bring certificates (mutual TLS): `NONE`,"
                  + " `OPTIONAL`, `REQUIRED`. A certificate with OU=sluice-user in its subject proves"
                  + " the user in its common name, as a secret does; others prove nobody. The HTTP"
                  + " port asks for one and serves callers without; data ports ask for none.")
          .build();

  /** The keys that all have in common. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(ENABLED, CERTIFICATE, KEY, TRUST, PEER_NAME);

  /** Of a process that is connected to. */
  public static TlsConfig ofServer(ConfigSet set) {
    return from(set, set.get(CLIENT_CERTIFICATES));
  }

  /** Of a process that connects only. */
  public static TlsConfig ofClient(ConfigSet set) {
    return from(set, ClientCertificates.NONE);
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
