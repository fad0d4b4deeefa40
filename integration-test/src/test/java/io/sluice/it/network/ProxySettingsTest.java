package io.sluice.it.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every process has the proxy settings that users set for object stores, with a proxy that connects
 * to nothing. No connection of Sluice may use it.
 */
@Timeout(300)
class ProxySettingsTest {
  @TempDir Path directory;

  private RecordingProxy proxy;
  private List<String> options;
  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeEach
  void startCluster() throws Exception {
    proxy = new RecordingProxy();
    options = proxy.properties().stream().map(property -> "-D" + property).toList();
    List<String> jvm = new ArrayList<>(SparkApplication.SHORT_LIVED);
    jvm.add("-Xmx256m");
    jvm.addAll(options);
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .coordinatorJvmOptions(jvm.toArray(new String[0]))
            .serverJvmOptions(jvm.toArray(new String[0]))
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.decommission.check.interval", "200ms")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    // Servers to coordinator.
    probe.awaitActiveServers(2, Duration.ofSeconds(60));
  }

  @AfterEach
  void stopCluster() throws Exception {
    if (probe != null) {
      probe.close();
    }
    if (cluster != null) {
      cluster.close();
    }
    proxy.close();
  }

  private SluiceProgram.Outcome sluice(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--coordinator", cluster.quorum()));
    return new SluiceProgram(SluiceProgram.java(), options).run(all.toArray(new String[0]));
  }

  private void assertDone(SluiceProgram.Outcome outcome) {
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
  }

  @Test
  void theCommandLineAndServersConnectDirectly() throws Exception {
    ClusterNode leaving = cluster.servers().get(0);
    ClusterNode staying = cluster.servers().get(1);
    // Command to coordinator and servers; with data over both transports.
    assertDone(sluice("bench", "fetch", "--total", "4m", "--transport", "GRPC"));
    assertDone(sluice("bench", "fetch", "--total", "4m", "--transport", "GRPC_NETTY"));
    assertDone(sluice("admin", "status"));
    // Coordinator to server.
    assertDone(sluice("admin", "reload", "--server", leaving.address()));
    // Server to coordinator, to find a target, and to the other server.
    assertDone(sluice("bench", "push", "--total", "4m", "--keep"));
    long before = probe.status(staying).getPushedBlocks();
    assertDone(sluice("admin", "decommission", leaving.address(), "--move"));
    probe.await(
        "a server has the blocks of the other one",
        Duration.ofSeconds(60),
        () -> probe.status(staying).getPushedBlocks() > before);
    SluiceProgram.Outcome health =
        new SluiceProgram(SluiceProgram.java(), options)
            .run("health", "--port", Integer.toString(staying.httpPort()));
    assertDone(health);

    assertThat(proxy.connections()).as("connections to the proxy").isZero();
  }

  @Test
  @Tag("nightly")
  void sparkConnectsDirectlyOverGrpc() throws Exception {
    SparkApplication application =
        SparkApplication.onSluice(directory.resolve("job"), cluster.quorum())
            .withOneExecutor()
            .set("spark.rss.client.type", "GRPC")
            .executorOptions(String.join(" ", options));
    // Settings are system properties of the driver.
    proxy.properties().stream()
        .map(property -> property.split("=", 2))
        .forEach(property -> application.set(property[0], property[1]));

    SparkApplication.Outcome found = application.run(List.of("groupByKey"));

    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest("groupByKey")).isNotEmpty();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
    assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
    assertThat(proxy.connections()).as("connections to the proxy").isZero();
  }
}
