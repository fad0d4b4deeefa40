package io.sluice.it.faults;

import io.sluice.it.cluster.SkewedMain;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Several coordinators and two servers, with links between them and a driver. */
final class LinkedCluster implements AutoCloseable {
  private static final int SERVERS = 2;
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final CoordinatorNetwork network = new CoordinatorNetwork();
  private final LocalCluster cluster;
  private final ClusterProbe probe;
  private DriverCalls driver;

  /**
   * Starts the cluster, and waits until all coordinators know all servers.
   *
   * @param directory directory for all files; created here
   */
  LinkedCluster(Path directory, int coordinators) throws IOException, InterruptedException {
    cluster =
        FaultCluster.builder(directory)
            .coordinators(coordinators)
            .servers(SERVERS)
            .routes(network)
            .mainClass(SkewedMain.class.getName())
            .startTimeout(TIMEOUT)
            .configureCoordinators("rss.coordinator.app.expired", "15s")
            .configureServers("rss.server.app.expired.withoutHeartbeat", "15s")
            .build();
    probe = new ClusterProbe(cluster);
    try {
      network.configure(cluster, directory.resolve("hosts"));
      cluster.start();
      network.open(cluster);
      driver = new DriverCalls(quorum());
      for (ClusterNode coordinator : cluster.coordinators()) {
        probe.awaitQuorum(coordinator, TIMEOUT);
      }
      probe.awaitActiveServers(SERVERS, TIMEOUT);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Addresses of the coordinators for drivers. */
  String quorum() {
    return CoordinatorNetwork.quorumOfDriver(cluster);
  }

  LocalCluster cluster() {
    return cluster;
  }

  ClusterProbe probe() {
    return probe;
  }

  DriverCalls driver() {
    return driver;
  }

  CoordinatorFaults faults() {
    return new CoordinatorFaults(cluster, probe, network, driver);
  }

  @Override
  public void close() {
    if (driver != null) {
      driver.close();
    }
    network.close();
    probe.close();
    cluster.close();
  }
}
