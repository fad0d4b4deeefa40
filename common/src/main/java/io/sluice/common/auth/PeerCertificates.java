package io.sluice.common.auth;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The user that the certificate of a peer names. TLS has verified the certificate.
 *
 * <p>A certificate is of a user only if its subject says so by {@code OU=sluice-user}; the common
 * name is the user then. An authority that signs certificates of hosts, too, gives nobody a user by
 * accident.
 */
final class PeerCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCertificates.class);

  /** Organizational unit of users. */
  private static final String USERS = "sluice-user";

  private PeerCertificates() {}

  /**
   * The user of the peer.
   *
   * @param session null: there is none
   * @return empty without a certificate, or with one that is not a user's
   */
  static Optional<String> user(SSLSession session) {
    if (session == null) {
      return Optional.empty();
    }
    try {
      Certificate[] chain = session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate peer
          ? user(peer.getSubjectX500Principal().getName())
          : Optional.empty();
    } catch (SSLPeerUnverifiedException | InvalidNameException e) {
      // No certificate was asked for, or given.
      LOG.debug("call without a certificate", e);
      return Optional.empty();
    }
  }

  /**
   * The user that a subject names.
   *
   * @param subject as in RFC 2253
   */
  static Optional<String> user(String subject) throws InvalidNameException {
    List<String> names = new ArrayList<>();
    boolean ofUser = false;
    for (Rdn part : new LdapName(subject).getRdns()) {
      String value = String.valueOf(part.getValue());
      if (part.size() == 1 && part.getType().equalsIgnoreCase("CN")) {
        names.add(value);
      }
      ofUser |= part.size() == 1 && part.getType().equalsIgnoreCase("OU") && value.equals(USERS);
    }
    return ofUser && names.size() == 1 ? Optional.of(names.get(0)) : Optional.empty();
  }
}
