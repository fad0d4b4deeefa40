package io.sluice.cli.secure;

import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Option for the validity of identities. */
final class ValidityOption {
  static final Duration OF_AUTHORITY = Duration.ofDays(3650);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--valid-days",
      paramLabel = "DAYS",
      defaultValue = "397",
      description =
          "Validity of the certificates of coordinators and servers in days, 1 to 3650; default"
              + " ${DEFAULT-VALUE}.")
  private int days;

  /** Validity from now on, at most until the authority's certificate expires. */
  Validity of(CertificateAuthority authority, Clock clock) {
    if (days < 1 || days > OF_AUTHORITY.toDays()) {
      throw new ParameterException(
          spec.commandLine(), "--valid-days " + days + ": expected 1 to " + OF_AUTHORITY.toDays());
    }
    Validity validity = Validity.of(clock, Duration.ofDays(days));
    Instant end = authority.certificate().getNotAfter().toInstant();
    return validity.until().isAfter(end) ? new Validity(validity.from(), end) : validity;
  }
}
