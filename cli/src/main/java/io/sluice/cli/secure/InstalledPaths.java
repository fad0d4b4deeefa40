package io.sluice.cli.secure;

import io.sluice.common.auth.ProcessRole;
import java.nio.file.Path;

/**
 * Paths at which processes and jobs read their files.
 *
 * @param coordinator identity of a coordinator
 * @param server identity of a server
 * @param jobs directory of the files of jobs: authority and secret of the user
 */
record InstalledPaths(
    Path authority, Path coordinator, Path server, Path users, Path admins, Path jobs) {
  /** Directory of coordinators and servers on machines with the units of deploy/systemd. */
  static final Path ON_HOSTS = Path.of("/etc/sluice/secrets");

  /** Directory for jobs on hosts that run drivers and tasks. */
  static final Path OF_JOBS = Path.of("/etc/spark/sluice");

  /** Every host has copies of its files. */
  static InstalledPaths copied() {
    return new InstalledPaths(
        ON_HOSTS.resolve(SecureDirectory.AUTHORITY),
        ON_HOSTS.resolve("coordinator.pem"),
        ON_HOSTS.resolve("server.pem"),
        ON_HOSTS.resolve(SecretUsers.USERS),
        ON_HOSTS.resolve(SecretUsers.ADMINS),
        OF_JOBS);
  }

  /** All processes run on this host and read the operator's directory. */
  static InstalledPaths inPlace(Path root, String host) {
    return new InstalledPaths(
        root.resolve(SecureDirectory.AUTHORITY),
        root.resolve(SecureDirectory.identity(ProcessRole.COORDINATOR, host)),
        root.resolve(SecureDirectory.identity(ProcessRole.SERVER, host)),
        root.resolve(SecretUsers.USERS),
        root.resolve(SecretUsers.ADMINS),
        root);
  }
}
