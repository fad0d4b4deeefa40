package io.sluice.it.faults;

import io.sluice.it.cluster.SkewedMain;
import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A link between each process and each coordinator that it calls. Coordinators call each other by
 * names, which each of them resolves to its own links with its own Java hosts file. The wall clocks
 * of the first and of the third coordinator are wrong by a minute, in opposite directions.
 */
final class CoordinatorNetwork implements LocalCluster.Routes, AutoCloseable {
  private static final String DRIVER = "driver-1";
  private static final Map<String, Duration> CLOCK_OFFSETS =
      Map.of("coordinator-1", Duration.ofMinutes(1), "coordinator-3", Duration.ofMinutes(-1));

  /** Links by the names of the caller and of the coordinator. */
  private final Map<String, Map<String, Link>> links = new LinkedHashMap<>();

  /** Address of a link: the third number is the kind of the caller, with its number. */
  private static String host(String caller, String coordinator) {
    int base =
        switch (caller.substring(0, caller.indexOf('-'))) {
          case "coordinator" -> 100;
          case "server" -> 150;
          default -> 200;
        };
    return "127.1." + (base + number(caller)) + "." + number(coordinator);
  }

  private static int number(String name) {
    return Integer.parseInt(name.substring(name.indexOf('-') + 1));
  }

  @Override
  public String address(ClusterNode from, ClusterNode coordinator) {
    String host =
        from.role() == ClusterNode.Role.COORDINATOR
            ? coordinator.name()
            : host(from.name(), coordinator.name());
    return host + ":" + coordinator.rpcPort();
  }

  /**
   * Configures the coordinators of a cluster that is not started.
   *
   * @param directory for the hosts files; created here
   */
  void configure(LocalCluster cluster, Path directory) throws IOException {
    Files.createDirectories(directory);
    for (ClusterNode coordinator : cluster.coordinators()) {
      String name = coordinator.name();
      // With a hosts file Java uses no other resolver, so it must also contain the local host.
      StringBuilder lines =
          new StringBuilder("127.0.0.1 localhost\n127.0.0.1 ")
              .append(InetAddress.getLocalHost().getHostName())
              .append('\n');
      for (ClusterNode other : cluster.coordinators()) {
        String host = other == coordinator ? ClusterNode.HOST : host(name, other.name());
        lines.append(host).append(' ').append(other.name()).append('\n');
      }
      Path hosts = Files.writeString(directory.resolve(name), lines);
      List<String> options = new ArrayList<>(TestCluster.COORDINATOR_OPTIONS);
      options.add("-Djdk.net.hosts.file=" + hosts);
      Optional.ofNullable(CLOCK_OFFSETS.get(name)).map(SkewedMain::option).ifPresent(options::add);
      coordinator.jvmOptions(options);
    }
  }

  /** Opens the links to the coordinators of a started cluster. */
  void open(LocalCluster cluster) throws IOException {
    List<String> callers = new ArrayList<>(List.of(DRIVER));
    cluster.coordinators().forEach(node -> callers.add(node.name()));
    cluster.servers().forEach(node -> callers.add(node.name()));
    for (String caller : callers) {
      for (ClusterNode coordinator : cluster.coordinators()) {
        String name = coordinator.name();
        if (!caller.equals(name)) {
          Link link = new Link(host(caller, name), coordinator.rpcPort());
          link.start();
          links.computeIfAbsent(caller, unused -> new LinkedHashMap<>()).put(name, link);
        }
      }
    }
  }

  /** Addresses of the coordinators for drivers. */
  static String quorumOfDriver(LocalCluster cluster) {
    return cluster.coordinators().stream()
        .map(node -> host(DRIVER, node.name()) + ":" + node.rpcPort())
        .collect(Collectors.joining(","));
  }

  /** Drops the calls of one process to a coordinator. */
  void cutCalls(ClusterNode from, ClusterNode coordinator) {
    links.get(from.name()).get(coordinator.name()).cut();
  }

  void cutCallsOfDriver(ClusterNode coordinator) {
    links.get(DRIVER).get(coordinator.name()).cut();
  }

  /** Drops the calls of all processes to a coordinator. */
  void cutAllCalls(ClusterNode coordinator) {
    links.values().stream()
        .map(ofCaller -> ofCaller.get(coordinator.name()))
        .filter(link -> link != null)
        .forEach(Link::cut);
  }

  void mend() {
    links.values().forEach(ofCaller -> ofCaller.values().forEach(Link::mend));
  }

  @Override
  public void close() {
    links.values().forEach(ofCaller -> ofCaller.values().forEach(Link::close));
  }
}
