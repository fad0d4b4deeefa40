package io.sluice.cli.secure;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice secure coordinator} and {@code sluice secure server}. */
final class IdentityCommands {
  private IdentityCommands() {}

  /** {@code sluice secure coordinator}. */
  @Command(name = "coordinator", description = "Create identities of additional coordinators.")
  static final class OfCoordinator extends OfKind {
    OfCoordinator(SecureSources sources) {
      super(sources, ProcessRole.COORDINATOR);
    }
  }

  /** {@code sluice secure server}. */
  @Command(name = "server", description = "Create identities of additional shuffle servers.")
  static final class OfServer extends OfKind {
    OfServer(SecureSources sources) {
      super(sources, ProcessRole.SERVER);
    }
  }

  /** Common part of both. */
  abstract static class OfKind implements Callable<Integer> {
    private final SecureSources sources;
    private final ProcessRole kind;

    @Mixin private DirectoryParameter target = new DirectoryParameter();

    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "HOST",
        converter = HostsConverter.class,
        description =
            "Host at which other processes reach it; several names and addresses of one host are"
                + " joined with +. On Kubernetes the DNS name of the pod.")
    private List<ProcessHosts> hosts;

    @Mixin private ValidityOption validity = new ValidityOption();

    OfKind(SecureSources sources, ProcessRole kind) {
      this.sources = sources;
      this.kind = kind;
    }

    @Override
    public Integer call() throws IOException {
      SecureDirectory directory = target.open(sources);
      for (ProcessHosts one : hosts) {
        String name = SecureDirectory.identity(kind, one.first());
        if (directory.has(name)) {
          throw new CommandFailure(
              ExitCode.FAILED,
              directory.file(name)
                  + " exists already; for new keys of all processes use `sluice secure rotate "
                  + target.given()
                  + "`");
        }
      }
      CertificateAuthority authority = directory.authority();
      Validity valid = validity.of(authority, sources.clock());
      for (ProcessHosts one : hosts) {
        directory.issue(authority, kind, one, valid);
      }
      Distribution distribution = new Distribution(directory, target.given());
      SecureReport report = target.report(directory, distribution);
      List<String> added = hosts.stream().map(ProcessHosts::first).toList();
      distribution.report(
          report,
          kind == ProcessRole.COORDINATOR ? added : List.of(),
          kind == ProcessRole.SERVER ? added : List.of());
      if (kind == ProcessRole.COORDINATOR) {
        report.text(
            "Add "
                + ConfigurationLines.quorum(added)
                + " to rss.coordinator.quorum of servers and jobs.");
      }
      return 0;
    }
  }
}
