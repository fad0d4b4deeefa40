package io.sluice.it.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.net.Loopback;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two coordinators and two servers that listen on the IPv6 loopback address only. */
@Timeout(300)
@TestInstance(Lifecycle.PER_CLASS)
class Ipv6ClusterTest {
  private static final String HOST = "::1";

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws Exception {
    Loopback.assumeHas(HOST);
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .host(HOST)
            .coordinators(2)
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(2, Duration.ofSeconds(60));
  }

  @AfterAll
  void stopCluster() {
    if (probe != null) {
      probe.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private String sluice(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--coordinator", cluster.quorum()));
    SluiceProgram.Outcome outcome =
        new SluiceProgram(SluiceProgram.java(), List.of()).run(all.toArray(new String[0]));
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    return outcome.output();
  }

  @Test
  void namesOfServersHaveBrackets() throws Exception {
    for (ClusterNode server : cluster.servers()) {
      assertThat(server.address()).startsWith("[::1]:");
      assertThat(probe.status(server).getServer().getName()).isEqualTo(server.address());
      assertThat(probe.status(server).getServer().getHost()).isEqualTo(HOST);
    }
    assertThat(sluice("admin", "servers"))
        .contains(cluster.servers().get(0).address())
        .contains(cluster.servers().get(1).address());
  }

  @Test
  void theCommandLineAcceptsAddressesInEveryForm() throws Exception {
    ClusterNode server = cluster.servers().get(0);
    String other = "[0:0:0:0:0:0:0:1]:" + server.rpcPort();
    SluiceProgram.Outcome status =
        new SluiceProgram(SluiceProgram.java(), List.of())
            .run("admin", "status", "--server", other);
    assertThat(status.exitCode()).as(status.output()).isZero();
    assertThat(status.output()).contains(server.address());

    assertThat(sluice("admin", "reload", "--server", server.address())).contains(server.address());
    sluice("admin", "exclude", other);
    assertThat(sluice("admin", "exclusions")).contains(server.address());
    sluice("admin", "include", server.address());
    assertThat(sluice("admin", "exclusions")).doesNotContain(server.address());
  }

  @ParameterizedTest
  @ValueSource(strings = {"GRPC", "GRPC_NETTY"})
  void pushedDataIsFetchedAndVerified(String transport) throws Exception {
    sluice("bench", "fetch", "--total", "8m", "--transport", transport);
  }

  @Test
  void pagesAreServed() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    List<ClusterNode> nodes = new ArrayList<>(cluster.coordinators());
    nodes.addAll(cluster.servers());
    for (ClusterNode node : nodes) {
      assertThat(node.httpAddress()).startsWith("http://[::1]:");
      for (String path : List.of("/healthz", "/metrics")) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.httpAddress() + path)).build();
        assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
            .as(node.httpAddress() + path)
            .isEqualTo(200);
      }
    }
    URI servers = URI.create(cluster.coordinator().httpAddress() + "/api/v1/servers");
    HttpResponse<String> list =
        http.send(HttpRequest.newBuilder(servers).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(list.statusCode()).as(list.body()).isEqualTo(200);
    assertThat(list.body()).contains(cluster.servers().get(0).address());
  }

  @Test
  void healthIsAskedOverIpv6() throws Exception {
    // The default is IPv4, on which no process listens.
    SluiceProgram.Outcome health =
        new SluiceProgram(SluiceProgram.java(), List.of("-Djava.net.preferIPv6Addresses=true"))
            .run("health", "--port", Integer.toString(cluster.coordinator().httpPort()));
    assertThat(health.exitCode()).as(health.output()).isZero();
  }

  @Test
  void aSparkJobUsesTheServers() throws Exception {
    SparkApplication.Outcome found =
        SparkApplication.onSluice(directory.resolve("job"), cluster.quorum())
            .withOneExecutor()
            .run(List.of("groupByKey"));

    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest("groupByKey")).isNotEmpty();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
    assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
  }
}
