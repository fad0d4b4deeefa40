package io.sluice.cli.secure;

import io.sluice.cli.TextTable;
import io.sluice.common.auth.ProcessCertificate;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.config.HostText;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice secure show}. */
@Command(
    name = "show",
    description = "Show the authorities, identities and users of a directory, without any secret.")
final class SecureShowCommand implements Callable<Integer> {
  private final SecureSources sources;

  @Mixin private DirectoryParameter target = new DirectoryParameter();

  SecureShowCommand(SecureSources sources) {
    this.sources = sources;
  }

  @Override
  public Integer call() throws IOException {
    SecureDirectory directory = target.open(sources);
    TextTable certificates = new TextTable("file", "subject", "hosts", "valid until", ">days");
    for (X509Certificate authority : directory.trusted()) {
      row(
          certificates,
          SecureDirectory.AUTHORITY,
          authority.getSubjectX500Principal().getName(),
          "",
          authority.getNotAfter().toInstant());
    }
    for (ProcessRole kind : ProcessRole.values()) {
      for (String host : directory.hosts(kind)) {
        ProcessCertificate certificate = directory.certificate(kind, host);
        row(
            certificates,
            SecureDirectory.identity(kind, host),
            "CN=" + certificate.name() + ",OU=" + kind.unit(),
            String.join(" ", certificate.hosts().stream().map(HostText::canonical).toList()),
            Instant.ofEpochMilli(certificate.expiryMs()));
      }
    }
    TextTable users = new TextTable("user", "role", "secret");
    for (SecretUsers.Entry user : new SecretUsers(directory).read()) {
      String file = SecretUsers.secretFile(user.name());
      users.row(
          user.name(),
          user.role().name().toLowerCase(Locale.ROOT),
          directory.has(file) ? file : "not here");
    }
    PrintWriter out = target.out();
    out.print(certificates + "\n" + users);
    AuthorityRotation.of(directory)
        .pending()
        .ifPresent(
            text ->
                out.println(
                    "\n"
                        + text
                        + " Next: sluice secure rotate "
                        + target.given()
                        + " --authority"));
    out.flush();
    return 0;
  }

  private void row(TextTable table, String file, String subject, String hosts, Instant until) {
    table.row(
        file,
        subject,
        hosts,
        SecureReport.day(until),
        Duration.between(sources.clock().instant(), until).toDays());
  }
}
