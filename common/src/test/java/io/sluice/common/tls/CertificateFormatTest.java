package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.CountingRandom;
import io.sluice.common.tls.CertificateAuthority.Subject;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateFormatTest {
  private static final Validity VALID =
      new Validity(Instant.parse("2026-11-01T00:00:00Z"), Instant.parse("2027-12-03T00:00:00Z"));

  private static String golden(String name) throws IOException {
    try (InputStream in = CertificateFormatTest.class.getResourceAsStream("/golden/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** All bytes but the signature, which is another one each time. */
  @Test
  void signsTheGoldenCertificates() throws Exception {
    CertificateAuthority authority =
        CertificateAuthority.parse(golden("authority-v1.pem"), new CountingRandom());
    for (Subject subject :
        List.of(
            new Subject("sluice-coordinator", "coordinator-1", List.of("coordinator-1")),
            new Subject(
                "sluice-server",
                "data-1.example.org",
                List.of("data-1.example.org", "10.0.0.11", "fd00::11")))) {
      String file = subject.unit().substring("sluice-".length()) + "-v1.pem";
      X509Certificate expected = PemFiles.certificates(golden(file)).get(0);

      X509Certificate signed = authority.certify(expected.getPublicKey(), subject, VALID);

      assertThat(HexFormat.of().formatHex(signed.getTBSCertificate()))
          .as(file)
          .isEqualTo(HexFormat.of().formatHex(expected.getTBSCertificate()));
      signed.verify(authority.certificate().getPublicKey());
    }
  }
}
