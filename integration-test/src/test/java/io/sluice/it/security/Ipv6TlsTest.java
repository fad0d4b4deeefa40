package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.common.net.Loopback;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS between processes whose names are IPv6 addresses, which certificates contain as such. */
@Timeout(120)
class Ipv6TlsTest {
  private static final String HOST = "::1";
  private static final int BYTES = 200_000;

  @TempDir static Path certificates;
  @TempDir Path directory;

  private SecuredCluster cluster;

  @BeforeAll
  static void makeCertificates() throws Exception {
    Loopback.assumeHas(HOST);
    TestCertificates.write(certificates, "sluice", HOST);
    TestCertificates.write(certificates, "other", "2001:db8::7");
  }

  @AfterEach
  void stopCluster() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void startCluster(String certificate) throws Exception {
    cluster = new SecuredCluster(directory, HOST);
    cluster.start(
        Map.of(
            "rss.security.tls.enabled", "true",
            "rss.security.tls.certificate.file", file(certificate + ".crt"),
            "rss.security.tls.key.file", file(certificate + ".key"),
            "rss.security.tls.trust.file", file(certificate + ".crt")));
  }

  private static String file(String name) {
    return certificates.resolve(name).toString();
  }

  private SluiceClient client(TransportKind kind, String certificate) throws Exception {
    return cluster.client(
        kind,
        "alice~app",
        "alice",
        SecuredCluster.ALICE,
        Map.of(
            "rss.security.tls.enabled", "true",
            "rss.security.tls.trust.file", file(certificate + ".crt"),
            "rss.client.read.shortcircuit.enabled", "false"));
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void everyConnectionChecksTheAddressInTheCertificate(TransportKind kind) throws Exception {
    startCluster("sluice");
    SluiceClient client = client(kind, "sluice");
    ShuffleAssignment assignment = SecuredCluster.assigned(client);
    assertThat(assignment.servers().get(0).getHost()).isEqualTo(HOST);
    SecuredCluster.push(client, assignment, BYTES);
    SecuredCluster.readBack(client, assignment, BYTES);

    HttpClient http =
        HttpClient.newBuilder()
            .sslContext(TestTls.caller(certificates, "sluice", Optional.empty()).https())
            .build();
    for (int port : new int[] {cluster.coordinator().httpPort(), cluster.server().httpPort()}) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create("https://[::1]:" + port + "/healthz")).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void anotherAddressInTheCertificateIsRefused() throws Exception {
    startCluster("other");
    Refused refused =
        (Refused)
            client(TransportKind.GRPC_NETTY, "other")
                .applicationSession("me")
                .registerShuffle(0, 1);
    assertThat(refused.reason()).isEqualTo(Reason.NO_COORDINATOR);
    assertThat(refused.message()).contains("[::1]:").contains("IP address ::1 ");
  }
}
