package io.sluice.it.faults;

import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.ClusterStartException;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Injects faults of coordinators into a cluster without faults, and repairs it. */
final class CoordinatorFaults {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private static final String HEARTBEAT_FAILURES = "sluice_server_heartbeat_failures_total";

  /** In the entries of a log, behind its header. */
  private static final int DAMAGED_BYTE = 100;

  private final LocalCluster cluster;
  private final ClusterProbe probe;
  private final CoordinatorNetwork network;
  private final DriverCalls driver;
  private ClusterNode suspended;
  private ClusterNode full;
  private Path damaged;

  /**
   * @param probe borrows
   * @param network borrows
   * @param driver borrows: makes coordinators write their log
   */
  CoordinatorFaults(
      LocalCluster cluster, ClusterProbe probe, CoordinatorNetwork network, DriverCalls driver) {
    this.cluster = cluster;
    this.probe = probe;
    this.network = network;
    this.driver = driver;
  }

  private ClusterNode leader() throws IOException, InterruptedException {
    return probe.awaitLeader(cluster.coordinators(), TIMEOUT);
  }

  private List<ClusterNode> othersThan(ClusterNode one) {
    return cluster.coordinators().stream().filter(coordinator -> coordinator != one).toList();
  }

  private ClusterNode follower() throws IOException, InterruptedException {
    return othersThan(leader()).get(0);
  }

  void killLeader() throws IOException, InterruptedException {
    leader().kill();
  }

  void killFollower() throws IOException, InterruptedException {
    follower().kill();
  }

  void suspendLeader() throws IOException, InterruptedException {
    suspended = leader();
    Signals.stop(suspended.pid());
  }

  void cutLeaderOff() throws IOException, InterruptedException {
    ClusterNode leader = leader();
    for (ClusterNode other : othersThan(leader)) {
      network.cutCalls(leader, other);
      network.cutCalls(other, leader);
    }
  }

  void isolateLeader() throws IOException, InterruptedException {
    ClusterNode leader = leader();
    network.cutAllCalls(leader);
    othersThan(leader).forEach(other -> network.cutCalls(leader, other));
  }

  void cutClientsOff() throws IOException, InterruptedException {
    ClusterNode leader = leader();
    network.cutCallsOfDriver(leader);
    for (ClusterNode server : cluster.servers()) {
      network.cutCalls(server, leader);
    }
    for (ClusterNode server : cluster.servers()) {
      // The timeout of a heartbeat is longer than the time after which a server is lost.
      double failures = probe.metric(server, HEARTBEAT_FAILURES);
      probe.await(
          "a heartbeat has failed",
          TIMEOUT,
          () -> probe.metric(server, HEARTBEAT_FAILURES) > failures);
    }
    if (probe.metric(leader, "sluice_coordinator_assignable_servers") != cluster.servers().size()) {
      throw new AssertionError("servers are lost, although they reach a coordinator");
    }
  }

  void fillDiskOfLeader() throws IOException, InterruptedException {
    fillDisk(leader());
  }

  void fillDiskOfFollower() throws IOException, InterruptedException {
    fillDisk(follower());
  }

  /** Lets each write of a file fail, as on a full disk, and waits until one has failed. */
  private void fillDisk(ClusterNode coordinator) throws IOException, InterruptedException {
    full = coordinator;
    Signals.limitFiles(coordinator.pid());
    Thread writer = new Thread(driver::startApplication, "log-writer");
    writer.setDaemon(true);
    writer.start();
    probe.await(
        coordinator.name() + " has left the quorum",
        TIMEOUT,
        () -> probe.metric(coordinator, "sluice_coordinator_quorum") == 0);
  }

  void damageLogOfFollower() throws IOException, InterruptedException {
    ClusterNode follower = follower();
    follower.kill();
    damaged = newestLog(follower);
    flipByte(damaged);
    try {
      follower.start();
    } catch (ClusterStartException e) {
      if (e.getMessage().contains("the log of the quorum in")) {
        return;
      }
      throw e;
    }
    throw new AssertionError(follower.name() + " starts with a damaged log");
  }

  private static Path newestLog(ClusterNode coordinator) throws IOException {
    try (Stream<Path> files = Files.walk(coordinator.directory().resolve("data"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("log_inprogress"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void flipByte(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[DAMAGED_BYTE] ^= 1;
    Files.write(file, bytes);
  }

  /** Repairs the cluster, and waits until all coordinators know a leader and all servers. */
  void mend() throws IOException, InterruptedException {
    network.mend();
    if (suspended != null) {
      Signals.resume(suspended.pid());
      suspended = null;
    }
    if (full != null) {
      full.kill();
      full = null;
    }
    if (damaged != null) {
      flipByte(damaged);
      damaged = null;
    }
    for (ClusterNode coordinator : cluster.coordinators()) {
      if (!coordinator.isAlive()) {
        coordinator.start();
      }
    }
    for (ClusterNode coordinator : cluster.coordinators()) {
      probe.awaitQuorum(coordinator, TIMEOUT);
    }
    probe.awaitActiveServers(cluster.servers().size(), TIMEOUT);
    driver.endStarted();
  }
}
