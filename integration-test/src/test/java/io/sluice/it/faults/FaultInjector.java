package io.sluice.it.faults;

import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Injects faults into a cluster and an application, and repairs the cluster. */
final class FaultInjector {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long BRIEF_MS = 700;

  private final LocalCluster cluster;
  private final ClusterProbe probe;
  private final Path applicationDirectory;
  private final Link link;
  private final Map<Fault, Integer> mapsOfLostExecutor = new EnumMap<>(Fault.class);
  private Fault fault = Fault.NONE;
  private Thread resumer;

  /**
   * @param probe borrows
   * @param applicationDirectory directory of the application with the affected executors
   * @param link borrows: link between some of its executors and a server; null if no fault cuts it
   */
  FaultInjector(LocalCluster cluster, ClusterProbe probe, Path applicationDirectory, Link link) {
    this.cluster = cluster;
    this.probe = probe;
    this.applicationDirectory = applicationDirectory;
    this.link = link;
  }

  /** Injects a fault at a point. */
  void inject(Fault now, Point point) throws IOException, InterruptedException {
    fault = now;
    now.injections().get(point).at(this);
  }

  private ClusterNode server() {
    return cluster.servers().get(0);
  }

  void loseServer() {
    server().kill();
  }

  void loseAllServers() {
    cluster.servers().forEach(ClusterNode::kill);
  }

  void restartServer() throws IOException, InterruptedException {
    server().restart();
  }

  void crashAndStartServer() throws IOException, InterruptedException {
    server().kill();
    server().start();
  }

  void stallServer() throws IOException, InterruptedException {
    Signals.stop(server().pid());
  }

  void resumeServer() throws IOException, InterruptedException {
    Signals.resume(server().pid());
  }

  /** Stalls for less than the retry period of readers. */
  void stallServerBriefly() throws IOException, InterruptedException {
    stallServer();
    long pid = server().pid();
    resumer = new Thread(() -> resumeLater(pid), "resumer");
    resumer.start();
  }

  private static void resumeLater(long pid) {
    try {
      TimeUnit.MILLISECONDS.sleep(BRIEF_MS);
      Signals.resume(pid);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("server not resumed pid=" + pid, e);
    }
  }

  void loseCoordinator() {
    cluster.coordinator().kill();
  }

  void cutLink() {
    link.cut();
  }

  void mendLink() {
    link.mend();
  }

  /** Kills the executor that ran the newest map attempt. */
  void loseExecutor() throws IOException {
    Map<Long, String> executors = new TreeMap<>();
    try (Stream<Path> notes =
        Files.list(applicationDirectory.resolve("faults").resolve(fault.name()).resolve("maps"))) {
      for (Path note : notes.toList()) {
        String name = note.getFileName().toString();
        executors.put(
            Long.parseLong(name.substring(name.indexOf('-') + 1)), Files.readString(note));
      }
    }
    String newest = executors.values().stream().reduce((one, later) -> later).orElseThrow();
    mapsOfLostExecutor.put(fault, (int) executors.values().stream().filter(newest::equals).count());
    long pid = Long.parseLong(newest.substring(newest.indexOf(' ') + 1));
    ProcessHandle executor = ProcessHandle.of(pid).orElseThrow();
    executor.destroyForcibly();
    try {
      executor.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new IllegalStateException("executor does not exit pid=" + pid, e);
    }
  }

  /** Number of map attempts that had run on the executor that a fault killed. */
  int mapsOfLostExecutor(Fault lost) {
    return mapsOfLostExecutor.getOrDefault(lost, 0);
  }

  /** Restarts stopped processes and waits until the coordinator knows all servers. */
  void mend() throws IOException, InterruptedException {
    if (resumer != null) {
      resumer.join(TIMEOUT.toMillis());
      resumer = null;
    }
    if (link != null) {
      link.mend();
    }
    for (ClusterNode coordinator : cluster.coordinators()) {
      if (!coordinator.isAlive()) {
        coordinator.start();
      }
    }
    for (ClusterNode server : cluster.servers()) {
      if (server.isAlive()) {
        Signals.resume(server.pid());
      } else {
        server.start();
      }
    }
    probe.awaitActiveServers(cluster.servers().size(), TIMEOUT);
  }
}
