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
 * Maps the verified certificate of a peer to a user.
 *
 * <p>A certificate identifies a user only if its subject has {@code OU=sluice-user}; the common
 * name is the user. Certificates of hosts, signed by the same authority, therefore never identify a
 * user by accident.
 */
final class PeerCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(PeerCertificates.class);

  /** Organizational unit in the certificates of users. */
  private static final String USERS = "sluice-user";

  private PeerCertificates() {}

  /**
   * The user of the peer.
   *
   * @param session null: plain text
   * @return empty without a certificate, or if the certificate does not identify a user
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
      // The certificate was not requested, or not sent.
      LOG.debug("call without a certificate", e);
      return Optional.empty();
    }
  }

  /**
   * The user of a subject.
   *
   * @param subject in the form of RFC 2253
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
