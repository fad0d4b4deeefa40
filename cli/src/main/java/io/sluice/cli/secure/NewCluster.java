package io.sluice.cli.secure;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.Role;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** Creates the authority, the identities and the first users of a cluster. */
record NewCluster(List<ProcessHosts> coordinators, List<ProcessHosts> servers) {
  static final String ADMIN = "ops";
  static final String USER = "jobs";

  /** First host of a cluster whose processes all run on the operator's machine. */
  static final String THIS_HOST = "localhost";

  /** A cluster on this machine. */
  static NewCluster onThisHost(SecureSources sources) throws IOException {
    ProcessHosts own = new ProcessHosts(sources.thisHost().read());
    return new NewCluster(List.of(own), List.of(own));
  }

  /**
   * Writes the files.
   *
   * @param validity validity of the identities
   */
  Validity create(SecureDirectory directory, Function<CertificateAuthority, Validity> validity)
      throws IOException {
    CertificateAuthority authority = directory.createAuthority();
    directory.write(SecureDirectory.AUTHORITY_KEY, authority.toPem());
    directory.writePublic(SecureDirectory.AUTHORITY, authority.certificatePem());
    Validity valid = validity.apply(authority);
    for (ProcessHosts hosts : coordinators) {
      directory.issue(authority, ProcessRole.COORDINATOR, hosts, valid);
    }
    for (ProcessHosts hosts : servers) {
      directory.issue(authority, ProcessRole.SERVER, hosts, valid);
    }
    SecretUsers users = new SecretUsers(directory);
    users.add(ADMIN, Role.ADMIN);
    users.add(USER, Role.USER);
    return valid;
  }
}
