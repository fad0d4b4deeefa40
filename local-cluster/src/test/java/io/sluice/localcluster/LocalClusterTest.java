package io.sluice.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class LocalClusterTest {
  @TempDir private Path directory;

  @Test
  void startsEveryProcessAndStopsItCleanly() throws Exception {
    List<ClusterNode> nodes;
    try (LocalCluster cluster = fake().coordinators(2).servers(1).build()) {
      cluster.start();
      nodes =
          List.of(
              cluster.coordinators().get(0),
              cluster.coordinators().get(1),
              cluster.servers().get(0));
      for (ClusterNode node : nodes) {
        assertThat(node.isAlive()).isTrue();
        assertThat(ProcessHandle.of(node.pid())).isPresent();
        connect(node.rpcPort());
        connect(node.httpPort());
      }
      assertThat(cluster.quorum())
          .isEqualTo(
              "127.0.0.1:" + nodes.get(0).rpcPort() + ",127.0.0.1:" + nodes.get(1).rpcPort());
      assertThat(configuration(cluster.servers().get(0)))
          .contains("rss.coordinator.quorum " + cluster.quorum());
    }
    for (ClusterNode node : nodes) {
      assertThat(node.isAlive()).isFalse();
      assertThat(node.directory().resolve("stopped")).hasContent("cleanly");
    }
  }

  @Test
  void restartsOnTheSamePortsWithChangedConfiguration() throws Exception {
    try (LocalCluster cluster = fake().servers(1).build()) {
      cluster.start();
      ClusterNode server = cluster.servers().get(0);
      int port = server.rpcPort();
      long pid = server.pid();

      server.configure("rss.server.tags", "second-start");
      server.restart();

      assertThat(server.rpcPort()).isEqualTo(port);
      assertThat(server.pid()).isNotEqualTo(pid);
      assertThat(configuration(server)).contains("rss.server.tags second-start");
      connect(port);
    }
  }

  @Test
  void killsProcessWithoutCleanUp() throws Exception {
    try (LocalCluster cluster = fake().servers(1).build()) {
      cluster.start();
      ClusterNode server = cluster.servers().get(0);

      server.kill();

      assertThat(server.isAlive()).isFalse();
      assertThat(server.directory().resolve("stopped")).doesNotExist();
      server.start();
      assertThat(server.isAlive()).isTrue();
    }
  }

  @Test
  void killsProcessThatIgnoresSigtermAfterTheStopTimeout() throws Exception {
    LocalCluster cluster =
        fake()
            .servers(1)
            .configureServers("fake.behaviour", "deaf")
            .stopTimeout(Duration.ofMillis(300))
            .build();
    cluster.start();
    ClusterNode server = cluster.servers().get(0);

    cluster.close();

    assertThat(server.isAlive()).isFalse();
    assertThat(server.directory().resolve("stopped")).doesNotExist();
  }

  @Test
  void reportsWhyAProcessDidNotStartAndStopsTheOthers() {
    LocalCluster cluster = fake().servers(1).configureServers("fake.behaviour", "ends").build();

    assertThatThrownBy(cluster::start)
        .isInstanceOf(ClusterStartException.class)
        .hasMessageContaining("server-1 exited with code 3")
        .hasMessageContaining("names a disk that is full")
        .hasMessageContaining("server-1.log");
    assertThat(cluster.coordinator().isAlive()).isFalse();
  }

  @Test
  void failsWhenAProcessNeverBecomesReady() {
    LocalCluster cluster =
        fake()
            .servers(1)
            .configureServers("fake.behaviour", "silent")
            .startTimeout(Duration.ofSeconds(3))
            .build();

    assertThatThrownBy(cluster::start)
        .isInstanceOf(ClusterStartException.class)
        .hasMessageContaining("server-1 was not ready within 3 s");
    assertThat(cluster.servers().get(0).isAlive()).isFalse();
  }

  @Test
  void closesTwiceAndBeforeAnyStart() {
    LocalCluster cluster = fake().build();

    cluster.close();
    cluster.close();

    assertThat(cluster.coordinator().isAlive()).isFalse();
  }

  private LocalCluster.Builder fake() {
    return LocalCluster.builder()
        .directory(directory)
        .classPath(testClasses())
        .mainClass(FakeNode.class.getName())
        .coordinatorJvmOptions("-Xmx32m", "-XX:TieredStopAtLevel=1")
        .serverJvmOptions("-Xmx32m", "-XX:TieredStopAtLevel=1");
  }

  private static String testClasses() {
    try {
      return Path.of(FakeNode.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> configuration(ClusterNode node) throws IOException {
    return Files.readAllLines(node.directory().resolve(node.name() + ".conf"));
  }

  private static void connect(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(socket.isConnected()).isTrue();
    }
  }
}
