package io.sluice.cli.secure;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Replaces the authority of a running cluster. Certificates of the old one are accepted until
 * nothing uses them. A step that was interrupted can be repeated.
 *
 * <pre>
 * ONE --- add a certificate ---> ADDED --- sign identities ---> SIGNED --- remove the old one ---> ONE
 * </pre>
 */
final class AuthorityRotation {
  private final SecureDirectory directory;
  private final State state;

  /** What the files of the directory contain. */
  enum State {
    /** One authority. */
    ONE,
    /** Processes begin to trust a second one, which has signed nothing yet. */
    ADDED,
    /** All identities are signed by the second one; the first one is still trusted. */
    SIGNED
  }

  private AuthorityRotation(SecureDirectory directory, State state) {
    this.directory = directory;
    this.state = state;
  }

  /** Reads the state of the directory. */
  static AuthorityRotation of(SecureDirectory directory) throws IOException {
    List<X509Certificate> trusted = directory.trusted();
    if (directory.has(SecureDirectory.NEXT_KEY)) {
      X509Certificate next = directory.authority(SecureDirectory.NEXT_KEY).certificate();
      // Otherwise the first step was interrupted before its second file.
      return new AuthorityRotation(directory, trusted.contains(next) ? State.ADDED : State.ONE);
    }
    return new AuthorityRotation(directory, trusted.size() == 1 ? State.ONE : State.SIGNED);
  }

  State state() {
    return state;
  }

  /** The unfinished rotation in one sentence; empty if there is none. */
  Optional<String> pending() {
    return switch (state) {
      case ONE -> Optional.empty();
      case ADDED -> Optional.of("Rotation of the authority: step 1 of 3 is done.");
      case SIGNED -> Optional.of("Rotation of the authority: step 2 of 3 is done.");
    };
  }

  /** Step 1: creates the next authority, which processes trust from now on. */
  void add() throws IOException {
    CertificateAuthority next = directory.createAuthority();
    directory.write(SecureDirectory.NEXT_KEY, next.toPem());
    directory.writePublic(
        SecureDirectory.AUTHORITY,
        directory.read(SecureDirectory.AUTHORITY) + next.certificatePem());
  }

  /** Step 2: the next authority signs new identities of all processes. */
  void sign(ValidityOption validity) throws IOException {
    CertificateAuthority next = directory.authority(SecureDirectory.NEXT_KEY);
    renew(next, validity);
    Files.move(
        directory.file(SecureDirectory.NEXT_KEY),
        directory.file(SecureDirectory.AUTHORITY_KEY),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Step 3: only the authority that signed the identities is trusted. */
  void remove() throws IOException {
    directory.writePublic(SecureDirectory.AUTHORITY, directory.authority().certificatePem());
  }

  /** Creates new keys and certificates of all processes, for the same hosts. */
  void renew(CertificateAuthority authority, ValidityOption validity) throws IOException {
    Validity valid = validity.of(authority, directory.sources().clock());
    for (ProcessRole kind : ProcessRole.values()) {
      for (String host : directory.hosts(kind)) {
        List<String> hosts = directory.certificate(kind, host).hosts();
        directory.issue(authority, kind, ProcessHosts.beginningWith(host, hosts), valid);
      }
    }
  }
}
