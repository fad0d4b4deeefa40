package io.sluice.it.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.common.config.HostText;
import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Coordinators and servers on one host of a network, which find their own addresses, and clients on
 * another host.
 */
@Timeout(300)
class NamespaceClusterTest {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final String SERVERS = "2001:db8:0:1::1";
  private static final String SERVERS_IPV4 = "198.51.100.1";

  @TempDir Path directory;

  private NamespaceNetwork network;
  private LocalCluster cluster;
  private SluiceProgram client;

  @BeforeEach
  void makeNetwork() throws Exception {
    try {
      network = new NamespaceNetwork(directory.resolve("network.log"));
    } catch (NamespaceNetwork.UnavailableException e) {
      assumeTrue(false, e.getMessage());
    }
    client = new SluiceProgram(network.second().java(directory.resolve("client-java")), List.of());
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (network != null) {
      network.close();
    }
  }

  /** Starts processes that listen on every interface. */
  private void startCluster() throws Exception {
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .java(network.first().java(directory.resolve("server-java")))
            .host(SERVERS)
            .coordinators(2)
            .configureCoordinators("rss.coordinator.host", "::")
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.host", "::")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .build();
    cluster.start();
  }

  private SluiceProgram.Outcome sluice(String quorum, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--coordinator", quorum));
    return client.run(all.toArray(new String[0]));
  }

  private void assertDone(SluiceProgram.Outcome outcome) {
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
  }

  /** Until coordinators elect one of them, they answer that there is no quorum. */
  private void awaitServers(String quorum, String host) throws Exception {
    List<String> servers =
        cluster.servers().stream()
            .map(server -> HostText.withPort(host, server.rpcPort()))
            .toList();
    long start = System.nanoTime();
    SluiceProgram.Outcome listed = sluice(quorum, "admin", "servers");
    while (listed.exitCode() != 0 || !servers.stream().allMatch(listed.output()::contains)) {
      assertThat(System.nanoTime() - start).as(listed.output()).isLessThan(LIMIT_NANOS);
      listed = sluice(quorum, "admin", "servers");
    }
  }

  private void pushFetchAndReload(String quorum, String host) throws Exception {
    awaitServers(quorum, host);
    for (String transport : List.of("GRPC", "GRPC_NETTY")) {
      assertDone(sluice(quorum, "bench", "fetch", "--total", "8m", "--transport", transport));
    }
    String server = HostText.withPort(host, cluster.servers().get(0).rpcPort());
    assertDone(sluice(quorum, "admin", "reload", "--server", server));
  }

  @Test
  void aNetworkWithoutIpv4IsEnough() throws Exception {
    network.first().address(SERVERS + "/64");
    network.second().address("2001:db8:0:1::2/64");
    startCluster();
    assertThat(cluster.quorum()).startsWith("[" + SERVERS + "]:").contains(",");

    pushFetchAndReload(cluster.quorum(), SERVERS);
  }

  /** Servers send heartbeats over IPv6 and announce their IPv4 address. */
  @Test
  void aClientWithoutIpv6UsesProcessesOfBothVersions() throws Exception {
    network.first().address(SERVERS + "/64");
    network.first().address(SERVERS_IPV4 + "/24");
    network.second().address("198.51.100.2/24");
    startCluster();
    String ipv6 = cluster.coordinators().get(0).address();
    String ipv4 = HostText.withPort(SERVERS_IPV4, cluster.coordinators().get(1).rpcPort());
    assertThat(sluice(ipv6, "admin", "servers").exitCode()).isNotZero();

    pushFetchAndReload(ipv6 + "," + ipv4, SERVERS_IPV4);
  }
}
