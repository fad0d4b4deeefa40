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
              "Whether all ports and connections use TLS 1.3 (security.md); the same for"
                  + " coordinators, servers and jobs. Set it on networks that others can listen on.")
          .build();
  static final ConfigKey<String> CERTIFICATE =
      ConfigKey.string("rss.security.tls.certificate.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the certificate of this process and those up to its authority. Read"
                  + " again when it changes. Set it on coordinators and servers with TLS; jobs need one"
                  + " only if coordinators require it.")
          .build();
  static final ConfigKey<String> KEY =
      ConfigKey.string("rss.security.tls.key.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the key of rss.security.tls.certificate.file, in PKCS#8 and"
                  + " unencrypted: EC, RSA or Ed25519. Read again when it changes. Set it with the"
                  + " certificate.")
          .build();
  static final ConfigKey<String> TRUST =
      ConfigKey.string("rss.security.tls.trust.file")
          .check(path -> !path.isEmpty(), "a path")
          .defaultText("the authorities of the Java runtime")
          .doc(
              "PEM file with the certificates of the authorities to trust. Read again when it"
                  + " changes. Set it if the certificates come from an authority of your own.")
          .build();
  static final ConfigKey<String> PEER_NAME =
      ConfigKey.string("rss.security.tls.peer.name")
          .check(name -> !name.isEmpty(), "a DNS name")
          .defaultText("the host that is connected to")
          .doc(
              "DNS name expected in the certificates of coordinators and servers. Set it if they"
                  + " share a certificate that does not list their hosts.")
          .build();

  /** Of coordinators and servers only. */
  public static final ConfigKey<ClientCertificates> CLIENT_CERTIFICATES =
      ConfigKey.enumeration("rss.security.tls.client.certificates", ClientCertificates.class)
          .defaultValue(ClientCertificates.NONE)
          .doc(
              "Whether callers of the control port have certificates (mutual TLS): `NONE`,"
                  + " `OPTIONAL` or `REQUIRED`. A certificate with OU=sluice-user proves the user in"
                  + " its common name, as a secret does; others prove nothing. The HTTP port asks for"
                  + " one and serves callers without; data ports ask for none. Set it if users have"
                  + " certificates.")
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
