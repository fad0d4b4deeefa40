package io.sluice.cli.secure;

import io.sluice.cli.control.ControlIdentity;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.demo.staging.ClusterSecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Secrets of a temporary cluster on this machine, as {@code sluice secure init} creates them. */
public final class LocalSecrets implements ClusterSecrets {
  /** Name of the admin. */
  public static final String ADMIN = NewCluster.ADMIN;

  /** Name of the user of jobs. */
  public static final String USER = NewCluster.USER;

  private static final Duration VALIDITY = Duration.ofDays(2);

  private final SecureSources sources;

  public LocalSecrets(SecureSources sources) {
    this.sources = sources;
  }

  @Override
  public Access create(Path directory) throws IOException {
    Path root = directory.toAbsolutePath();
    Files.createDirectory(
        root, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    NewCluster.onThisHost(sources)
        .create(
            SecureDirectory.fresh(root, sources),
            authority -> Validity.of(sources.clock(), VALIDITY));
    ConfigurationLines lines =
        new ConfigurationLines(
            InstalledPaths.inPlace(root, NewCluster.THIS_HOST),
            List.of(NewCluster.THIS_HOST),
            USER);
    ControlIdentity admin = identity(root, ADMIN);
    return new Access(
        lines.coordinator(),
        lines.server(),
        lines.spark(),
        lines.mapReduce(),
        (host, port) -> admin.channel(new HostPort(host, port)));
  }

  /** Identity of the command line as one of the users. */
  public static ControlIdentity identity(Path directory, String user) {
    return ControlIdentity.of(environment(directory, user), user);
  }

  /** Environment variables of the command line for one of the users. */
  public static Map<String, String> environment(Path directory, String user) {
    return Map.of(
        ControlIdentity.USER_VARIABLE,
        user,
        ControlIdentity.FILE_VARIABLE,
        directory.resolve(SecretUsers.secretFile(user)).toString(),
        ControlIdentity.TRUST_VARIABLE,
        directory.resolve(SecureDirectory.AUTHORITY).toString());
  }
}
