package io.sluice.common.auth;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Earliest expiry of the certificates that a process uses: its identity, its TLS certificate, and
 * the authorities that it trusts. Files that change count at once. Thread-safe.
 */
public final class CertificateExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateExpiry.class);

  private static final long WARNING_DAYS = 14;

  private final Supplier<List<X509Certificate>> certificates;
  private final Clock clock;

  /**
   * @param certificates certificates in use, read on each use
   */
  public CertificateExpiry(Supplier<List<X509Certificate>> certificates, Clock clock) {
    this.certificates = certificates;
    this.clock = clock;
  }

  /** Milliseconds since 1970; 0 if the process uses no certificate. */
  public long earliestMs() {
    return earliest().map(one -> one.getNotAfter().toInstant().toEpochMilli()).orElse(0L);
  }

  private Optional<X509Certificate> earliest() {
    return certificates.get().stream().min(Comparator.comparing(X509Certificate::getNotAfter));
  }

  /** The warning about a certificate that expires soon or has expired; empty if there is none. */
  Optional<String> warning() {
    return earliest()
        .filter(
            one ->
                one.getNotAfter().toInstant().toEpochMilli() - clock.millis()
                    < TimeUnit.DAYS.toMillis(WARNING_DAYS))
        .map(CertificateExpiry::text);
  }

  private static String text(X509Certificate certificate) {
    Instant until = certificate.getNotAfter().toInstant();
    return "a certificate expires in less than "
        + WARNING_DAYS
        + " days, after which connections fail; renew it with `sluice secure rotate` subject=\""
        + certificate.getSubjectX500Principal().getName()
        + "\" expiry="
        + until;
  }

  /** Logs the warning, if there is one. Call it at the start and once a day. */
  public void warn() {
    warning().ifPresent(LOG::warn);
  }
}
