package io.sluice.demo.staging;

import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The directory of a run, and what it starts there: Sluice itself, and an engine that {@link
 * SparkStaging} or {@link YarnStaging} starts. Owned by the thread that runs it; the shutdown hook
 * may end the processes at any time.
 */
public final class Staging implements AutoCloseable {
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(30);

  private final Installation installation;
  private final Path workDirectory;
  private final Path directory;
  private final List<Runnable> engines = new ArrayList<>();
  private volatile LocalCluster cluster;
  private Thread shutdownHook;

  private Staging(Installation installation, Path workDirectory, Path directory) {
    this.installation = installation;
    this.workDirectory = workDirectory;
    this.directory = directory;
  }

  /**
   * Makes a directory for a run.
   *
   * @param workDirectory where data is kept and where the run gets a directory of its own
   * @param prefix of its name
   */
  public static Staging in(Path workDirectory, String prefix, Installation installation)
      throws IOException {
    Files.createDirectories(workDirectory);
    return new Staging(
        installation, workDirectory, Files.createTempDirectory(workDirectory, prefix));
  }

  Installation installation() {
    return installation;
  }

  Path workDirectory() {
    return workDirectory;
  }

  public Path directory() {
    return directory;
  }

  /** Null before it is started. */
  public LocalCluster cluster() {
    return cluster;
  }

  /**
   * From now on the end of this process ends all others, too.
   *
   * @param whenInterrupted what to do then
   */
  public void start(Runnable whenInterrupted) {
    shutdownHook =
        new Thread(
            () -> {
              endAll();
              whenInterrupted.run();
            },
            "demo-stop");
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /** Starts a coordinator and servers; returns when it knows all of them. */
  public void startCluster(
      int servers, String transport, String bufferCapacity, List<String> serverOptions)
      throws IOException, InterruptedException {
    cluster =
        LocalCluster.builder()
            .directory(directory.resolve("cluster"))
            .classPath(Installation.all(installation.jars()))
            .servers(servers)
            .configureServers("rss.rpc.server.type", transport)
            .configureServers("rss.server.buffer.capacity", bufferCapacity)
            .serverJvmOptions(serverOptions.toArray(String[]::new))
            .build();
    cluster.start();
    try (ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(servers, REGISTER_TIMEOUT);
    }
  }

  /** The coordinator and the servers, to measure them. */
  public List<ClusterNode> nodes() {
    List<ClusterNode> nodes = new ArrayList<>(cluster.coordinators());
    nodes.addAll(cluster.servers());
    return nodes;
  }

  /**
   * Tells how an engine's process is ended by force: as the first of all, from whatever thread,
   * perhaps twice.
   */
  synchronized void endsBy(Runnable kill) {
    engines.add(kill);
  }

  /**
   * Removes what was made here; call when no process is left.
   *
   * @param all also logs and settings
   * @param data what is data in the directory, beside that of the servers
   * @return whether the directory is still there
   */
  public boolean removeFiles(boolean all, List<String> data) throws IOException {
    if (all) {
      Scratch.remove(directory);
      return false;
    }
    for (String name : data) {
      Scratch.remove(directory.resolve(name));
    }
    if (cluster != null) {
      for (ClusterNode server : cluster.servers()) {
        Scratch.remove(server.directory().resolve("data"));
      }
    }
    return true;
  }

  /** Ends what still runs; the files stay. Idempotent. */
  @Override
  public void close() {
    endAll();
    try {
      if (shutdownHook != null) {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      }
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook does the same.
    }
  }

  private void endAll() {
    try {
      synchronized (this) {
        engines.forEach(Runnable::run);
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }
}
