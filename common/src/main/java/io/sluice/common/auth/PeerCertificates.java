package io.sluice.common.auth;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the certificate of who is connected says. TLS has verified it. */
final class PeerCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCertificates.class);

  private PeerCertificates() {}

  /**
   * The common name of the peer.
   *
   * @param session null: there is none
   */
  static Optional<String> commonName(SSLSession session) {
    if (session == null) {
      return Optional.empty();
    }
    try {
      Certificate[] chain = session.getPeerCertificates();
      if (chain.length == 0 || !(chain[0] instanceof X509Certificate peer)) {
        return Optional.empty();
      }
      for (Rdn part : new LdapName(peer.getSubjectX500Principal().getName()).getRdns()) {
        if (part.getType().equalsIgnoreCase("CN")) {
          return Optional.of(String.valueOf(part.getValue()));
        }
      }
      return Optional.empty();
    } catch (SSLPeerUnverifiedException | InvalidNameException e) {
      // No certificate was asked for, or given.
      LOG.debug("call without a certificate", e);
      return Optional.empty();
    }
  }
}
