package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.io.IOException;
import java.net.ConnectException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class CallFailureTest {
  @Test
  void describesTheRootCauseInOneLine() {
    Status refused =
        Status.UNAVAILABLE
            .withDescription("io exception\nChannel Pipeline: [SslHandler#0]")
            .withCause(new IOException("finished", new ConnectException("Connection refused\n")));
    assertThat(CallFailure.describe(refused))
        .isEqualTo("UNAVAILABLE io exception (Connection refused)");
    assertThat(CallFailure.isTls(refused)).isFalse();
  }

  @Test
  void aFailureWithoutMessageIsItsCode() {
    assertThat(CallFailure.describe(Status.CANCELLED)).isEqualTo("CANCELLED");
    assertThat(CallFailure.describe(Status.INTERNAL.withCause(new IllegalStateException())))
        .isEqualTo("INTERNAL (IllegalStateException)");
  }

  @Test
  void aFailedHandshakeNamesTheProblemOfTheCertificate() {
    SSLHandshakeException handshake = new SSLHandshakeException("PKIX path building failed: x");
    handshake.initCause(new CertificateException("no name matching host found"));
    Status failed = Status.UNAVAILABLE.withDescription("ssl exception").withCause(handshake);
    assertThat(CallFailure.describe(failed)).isEqualTo("TLS failed: no name matching host found");
    assertThat(CallFailure.isTls(failed)).isTrue();
  }

  @Test
  void textOfAPeerIsShortened() {
    assertThat(CallFailure.describe(Status.INTERNAL.withDescription("x".repeat(1000))))
        .hasSizeLessThan(320);
  }
}
