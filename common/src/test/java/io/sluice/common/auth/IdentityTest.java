package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Subject;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IdentityTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
  private static final Validity YEAR =
      Validity.of(Clock.fixed(NOW, ZoneOffset.UTC), Duration.ofDays(365));

  private final SecureRandom random = new SecureRandom();
  private final CertificateAuthority authority =
      CertificateAuthority.create("cluster", YEAR, random);
  private final Authorities authorities = Authorities.parse(authority.certificatePem());

  private Identity server(String... hosts) {
    return Identity.parse(
        Identity.create(authority, ProcessRole.SERVER, "data-1", List.of(hosts), YEAR));
  }

  private static ByteString der(Identity identity) {
    return identity.certificate().der();
  }

  @Test
  void anAuthoritySignsTheIdentityOfAProcess() throws Exception {
    ProcessCertificate found =
        authorities.verify(
            der(server("data-1.example.org", "10.0.0.1", "fd00::1")), NOW.toEpochMilli());

    assertThat(found.role()).isEqualTo(ProcessRole.SERVER);
    assertThat(found.name()).isEqualTo("data-1");
    assertThat(List.of("data-1.example.org", "DATA-1.example.org.", "10.0.0.1", "fd00:0::1"))
        .allMatch(found::covers);
    assertThat(List.of("data-2.example.org", "10.0.0.2", "fd00::2", "example.org", ""))
        .noneMatch(found::covers);
    assertThat(found.expiryMs()).isEqualTo(NOW.plus(Duration.ofDays(365)).toEpochMilli());
  }

  @Test
  void anAsteriskStandsForOnePartOfAName() {
    ProcessCertificate found = server("*.pods.example.org").certificate();

    assertThat(found.covers("a.pods.example.org")).isTrue();
    assertThat(List.of("pods.example.org", "a.b.pods.example.org", ".pods.example.org"))
        .noneMatch(found::covers);
  }

  @Test
  void anAuthorityIsReadFromItsText() throws Exception {
    CertificateAuthority again = CertificateAuthority.parse(authority.toPem(), random);

    String identity =
        Identity.create(again, ProcessRole.COORDINATOR, "c", List.of("127.0.0.1"), YEAR);

    assertThat(authorities.verify(der(Identity.parse(identity)), NOW.toEpochMilli()).role())
        .isEqualTo(ProcessRole.COORDINATOR);
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() {
    CertificateAuthority other = CertificateAuthority.create("cluster", YEAR, random);
    Authorities ofOther = Authorities.parse(other.certificatePem());

    assertThatThrownBy(() -> ofOther.verify(der(server("h")), NOW.toEpochMilli()))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("no authority of this cluster has signed it");
  }

  @Test
  void twoAuthoritiesAreValidWhileOneReplacesTheOther() throws Exception {
    CertificateAuthority next = CertificateAuthority.create("cluster", YEAR, random);
    Authorities both = Authorities.parse(next.certificatePem() + authority.certificatePem());

    assertThat(both.verify(der(server("h")), NOW.toEpochMilli()).name()).isEqualTo("data-1");
  }

  @Test
  void aCertificateIsValidOnlyBetweenItsDates() throws Exception {
    ByteString der = der(server("h"));
    long before = NOW.minus(Duration.ofMinutes(6)).toEpochMilli();
    long after = NOW.plus(Duration.ofDays(366)).toEpochMilli();

    assertThat(authorities.verify(der, NOW.toEpochMilli()).name()).isEqualTo("data-1");
    for (long time : new long[] {before, after}) {
      assertThatThrownBy(() -> authorities.verify(der, time))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("not valid at this time");
    }
  }

  @Test
  void theCertificateOfAUserIsNoIdentity() {
    assertThatThrownBy(
            () ->
                Identity.parse(
                    authority.issue(new Subject("sluice-user", "alice", List.of()), YEAR)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is neither OU=sluice-coordinator");
  }

  @Test
  void anIdentitySignsNoCertificates() {
    Identity server = server("h");

    assertThatThrownBy(
            () ->
                Authorities.parse(
                    Identity.create(authority, ProcessRole.SERVER, "s", List.of("h"), YEAR)))
        .hasMessageContaining("is not that of an authority");
    assertThat(server.certificate().certificate().getKeyUsage()[5]).isFalse();
  }

  @Test
  void aKeyOfAnotherCertificateIsRefused() {
    String one = Identity.create(authority, ProcessRole.SERVER, "a", List.of("h"), YEAR);
    String two = Identity.create(authority, ProcessRole.SERVER, "b", List.of("h"), YEAR);
    int end = one.indexOf("-----BEGIN CERTIFICATE");
    String mixed = one.substring(0, end) + two.substring(two.indexOf("-----BEGIN CERTIFICATE"));

    assertThatThrownBy(() -> Identity.parse(mixed))
        .hasMessageContaining("not the key of the certificate");
  }

  @Test
  void changedBytesAreNeverValid() {
    byte[] valid = server("h").certificate().der().toByteArray();
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      byte[] changed = valid.clone();
      changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> authorities.verify(ByteString.copyFrom(changed), NOW.toEpochMilli()))
          .isInstanceOf(SluiceException.class);
    }
    for (int length = 0; length < valid.length; length++) {
      ByteString cut = ByteString.copyFrom(valid, 0, length);
      assertThatThrownBy(() -> authorities.verify(cut, NOW.toEpochMilli()))
          .isInstanceOf(SluiceException.class);
    }
  }
}
