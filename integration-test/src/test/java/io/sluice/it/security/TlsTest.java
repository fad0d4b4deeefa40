package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS on every port, with authentication. */
@Timeout(120)
class TlsTest {
  /** Times five partitions, this exceeds the server's memory, so most data is read from files. */
  private static final int LARGE = 5 << 20;

  @TempDir static Path certificates;
  @TempDir Path directory;

  private SecuredCluster cluster;

  @BeforeAll
  static void makeCertificate() throws Exception {
    TestCertificates.write(certificates, "sluice", "127.0.0.1");
  }

  @BeforeEach
  void startCluster() throws Exception {
    cluster = new SecuredCluster(directory);
    cluster.start(
        Map.of(
            "rss.security.tls.enabled", "true",
            "rss.security.tls.certificate.file", certificates.resolve("sluice.crt").toString(),
            "rss.security.tls.key.file", certificates.resolve("sluice.key").toString(),
            "rss.security.tls.trust.file", certificates.resolve("sluice.crt").toString()));
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  private static Map<String, String> encrypted() {
    return Map.of(
        "rss.security.tls.enabled", "true",
        "rss.security.tls.trust.file", certificates.resolve("sluice.crt").toString(),
        "rss.client.read.shortcircuit.enabled", "false");
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void everyByteComesBackFromMemoryAndFiles(TransportKind kind) throws Exception {
    SluiceClient client =
        cluster.client(kind, "alice~app", "alice", SecuredCluster.ALICE, encrypted());
    ShuffleAssignment assignment = SecuredCluster.assigned(client);
    SecuredCluster.push(client, assignment, LARGE);
    SecuredCluster.readBack(client, assignment, LARGE);
  }

  @Test
  void aJobWithoutTlsFallsBack() throws Exception {
    SluiceClient client =
        cluster.client(
            TransportKind.GRPC_NETTY, "alice~app", "alice", SecuredCluster.ALICE, Map.of());
    Refused refused = (Refused) client.applicationSession("me").registerShuffle(0, 1);
    assertThat(refused.reason()).isEqualTo(Reason.NO_COORDINATOR);
  }

  @Test
  void aJobWithoutItsTrustFileFailsAndNamesTheFile() throws Exception {
    SluiceClient client =
        cluster.client(
            TransportKind.GRPC_NETTY,
            "alice~app",
            "alice",
            SecuredCluster.ALICE,
            Map.of("rss.security.tls.enabled", "true", "rss.security.tls.trust.file", "/none.crt"));
    Refused refused = (Refused) client.applicationSession("me").registerShuffle(0, 1);
    assertThat(refused.message()).isEqualTo("rss.security.tls.trust.file: /none.crt: no such file");
  }

  @Test
  void pagesAreServedOverHttps() throws Exception {
    HttpClient http =
        HttpClient.newBuilder()
            .sslContext(TestTls.caller(certificates, "sluice", Optional.empty()).https())
            .build();
    for (int port : new int[] {cluster.coordinator().httpPort(), cluster.server().httpPort()}) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/healthz")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    }
  }
}
