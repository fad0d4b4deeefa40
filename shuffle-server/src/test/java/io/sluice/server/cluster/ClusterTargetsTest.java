package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsConfig.ClientCertificates;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Errors of connections to move targets are one line. */
@Timeout(60)
class ClusterTargetsTest {
  @TempDir static Path certificates;

  private Server target;

  @BeforeAll
  static void makeCertificates() throws Exception {
    TestCertificates.write(certificates, "ours", "127.0.0.1");
    TestCertificates.write(certificates, "stranger", "127.0.0.1");
    TestCertificates.write(certificates, "elsewhere", "127.0.0.2");
  }

  @AfterEach
  void stop() throws Exception {
    if (target != null) {
      target.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    }
  }

  private static ClusterSecurity security(String own, String trusted) throws IOException {
    TlsConfig tls =
        new TlsConfig(
            true,
            Optional.of(certificates.resolve(own + ".crt")),
            Optional.of(certificates.resolve(own + ".key")),
            Optional.of(certificates.resolve(trusted + ".crt")),
            ClientCertificates.REQUIRED,
            Optional.empty());
    return ClusterSecurity.of(
        new SecurityConfig(
            false, Optional.empty(), Optional.empty(), Optional.empty(), 60_000, true, tls),
        ProcessRole.SERVER,
        Clock.systemUTC(),
        new SecureRandom(),
        System::nanoTime);
  }

  /**
   * @param tls null: without TLS
   */
  private void startTarget(SslContext tls) throws IOException {
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0));
    target = (tls == null ? server : server.sslContext(tls)).build().start();
  }

  private Throwable refusal(ClusterSecurity own) {
    ServerId id =
        ServerId.newBuilder()
            .setName("other:1")
            .setHost("127.0.0.1")
            .setRpcPort(target.getPort())
            .build();
    ClusterTargets targets =
        new ClusterTargets(List.of(), () -> id, own, Clock.systemUTC(), System::nanoTime);
    return catchThrowable(() -> targets.connect(id, "app"));
  }

  @Test
  void untrustedCertificate() throws Exception {
    startTarget(security("stranger", "ours").tls().orElseThrow().grpcServer());
    assertThat(refusal(security("ours", "ours")))
        .isInstanceOf(SSLException.class)
        .hasMessage(
            "server other:1: connection lost: the connection ended: TLS failed: unable to find"
                + " valid certification path to"
                + " requested target");
  }

  @Test
  void certificateOfAnotherHost() throws Exception {
    startTarget(security("elsewhere", "ours").tls().orElseThrow().grpcServer());
    assertThat(refusal(security("ours", "elsewhere")))
        .isInstanceOf(SSLException.class)
        .hasMessage(
            "server other:1: connection lost: the connection ended: TLS failed: No subject"
                + " alternative names matching IP"
                + " address 127.0.0.1 found");
  }

  @Test
  void targetWithoutTls() throws Exception {
    startTarget(null);
    assertThat(refusal(security("ours", "ours")))
        .isInstanceOf(SSLException.class)
        .hasMessageStartingWith(
            "server other:1: connection lost: the connection ended: TLS failed: ")
        .hasMessageNotContaining("\n");
  }

  /** Depending on timing, the client receives an alert, or the connection closes. */
  @Test
  void targetDoesNotTrustThisServer() throws Exception {
    startTarget(security("stranger", "stranger").tls().orElseThrow().grpcServer());
    assertThat(refusal(security("ours", "stranger")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("server other:1: connection lost: the connection ended: ")
        .hasMessageNotContaining("\n");
  }

  @Test
  void targetRequiresTls() throws Exception {
    startTarget(security("stranger", "ours").tls().orElseThrow().grpcServer());
    assertThat(refusal(ClusterSecurity.OFF))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "server other:1: connection lost: the connection ended: UNAVAILABLE ")
        .hasMessageNotContaining("\n");
  }
}
