package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateExpiryTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

  private final List<X509Certificate> used = new ArrayList<>();
  private final CertificateExpiry expiry = new CertificateExpiry(() -> used, CLOCK);

  private static X509Certificate certificate(String name, Duration length) {
    return CertificateAuthority.create(name, Validity.of(CLOCK, length), new SecureRandom())
        .certificate();
  }

  @Test
  void withoutCertificatesThereIsNoExpiryAndNoWarning() {
    assertThat(expiry.earliestMs()).isZero();
    assertThat(expiry.warning()).isEmpty();
  }

  @Test
  void theEarliestCounts() {
    used.add(certificate("ten years", Duration.ofDays(3650)));
    used.add(certificate("short", Duration.ofDays(30)));
    used.add(certificate("one year", Duration.ofDays(365)));
    assertThat(expiry.earliestMs()).isEqualTo(NOW.plus(Duration.ofDays(30)).toEpochMilli());
    assertThat(expiry.warning()).isEmpty();
  }

  @Test
  void belowFourteenDaysAWarningNamesTheCertificateUntilItIsReplaced() {
    used.add(certificate("exact", Duration.ofDays(14)));
    assertThat(expiry.warning()).isEmpty();
    used.set(0, certificate("server 7", Duration.ofDays(14).minusSeconds(1)));
    assertThat(expiry.warning().orElseThrow())
        .contains("subject=\"CN=server 7\" expiry=2026-12-09T11:59:59Z")
        .contains("sluice secure rotate");
    used.set(0, certificate("renewed", Duration.ofDays(397)));
    assertThat(expiry.warning()).isEmpty();
  }
}
