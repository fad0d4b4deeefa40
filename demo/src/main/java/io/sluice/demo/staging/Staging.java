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
import java.util.Map;

/**
 * Directory and processes of a run: Sluice's cluster, and an engine that {@link SparkStaging} or
 * {@link YarnStaging} starts. Used by the thread of the run; the shutdown hook may kill the
 * processes at any time.
 */
public final class Staging implements AutoCloseable {
  /**
   * {@code rss.access.timeout.ms} of jobs. The start of a job waits for a fifth of it: enough for a
   * cold JVM on a busy machine, so that both sides are compared there, too.
   */
  static final String ACCESS_TIMEOUT = "60s";

  private static final String SECRETS = "secure";
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(30);

  private final Installation installation;
  private final Path workDirectory;
  private final Path directory;
  private final List<Runnable> killActions = new ArrayList<>();
  private volatile LocalCluster cluster;
  private ClusterSecrets.Access access = ClusterSecrets.Access.OPEN;
  private Thread shutdownHook;

  private Staging(Installation installation, Path workDirectory, Path directory) {
    this.installation = installation;
    this.workDirectory = workDirectory;
    this.directory = directory;
  }

  /**
   * Creates the directory of a run.
   *
   * @param workDirectory directory of generated data and of the directories of runs
   * @param prefix prefix of the directory's name
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

  /** Sluice's cluster; null before its start. */
  public LocalCluster cluster() {
    return cluster;
  }

  /**
   * Installs a shutdown hook that kills all processes at the end of this process.
   *
   * @param whenInterrupted action of the hook after that
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

  /** Secures the cluster; call it before its start. */
  public void secure(ClusterSecrets secrets) throws IOException {
    access = secrets.create(directory.resolve(SECRETS));
  }

  /** Access of jobs and admins to the cluster. */
  ClusterSecrets.Access access() {
    return access;
  }

  /** Returns owned a probe of the cluster. */
  public ClusterProbe probe() {
    return new ClusterProbe(cluster, access.admin());
  }

  /** Starts coordinators and servers; returns when all servers are active. */
  public void startCluster(
      ClusterSize size, String transport, String bufferCapacity, List<String> serverOptions)
      throws IOException, InterruptedException {
    startCluster(size, transport, bufferCapacity, serverOptions, Map.of());
  }

  /**
   * Starts coordinators and servers; returns when all servers are active.
   *
   * @param serverConf additional configuration keys of servers
   */
  public void startCluster(
      ClusterSize size,
      String transport,
      String bufferCapacity,
      List<String> serverOptions,
      Map<String, String> serverConf)
      throws IOException, InterruptedException {
    LocalCluster.Builder builder =
        LocalCluster.builder()
            .directory(directory.resolve("cluster"))
            .classPath(Installation.all(installation.jars()))
            .coordinators(size.coordinators())
            .servers(size.servers())
            .configureServers("rss.rpc.server.type", transport)
            .configureServers("rss.server.buffer.capacity", bufferCapacity)
            .serverJvmOptions(serverOptions.toArray(String[]::new));
    access.coordinator().forEach(builder::configureCoordinators);
    access.server().forEach(builder::configureServers);
    serverConf.forEach(builder::configureServers);
    cluster = builder.build();
    cluster.start();
    try (ClusterProbe probe = probe()) {
      probe.awaitActiveServers(size.servers(), REGISTER_TIMEOUT);
    }
  }

  /** Coordinator and servers, to measure them. */
  public List<ClusterNode> nodes() {
    List<ClusterNode> nodes = new ArrayList<>(cluster.coordinators());
    nodes.addAll(cluster.servers());
    return nodes;
  }

  /**
   * Adds an action that kills a process of an engine. It may run on any thread and more than once,
   * before Sluice's cluster is stopped.
   */
  synchronized void addKillAction(Runnable kill) {
    killActions.add(kill);
  }

  /**
   * Deletes files of the run. Call after all processes have ended.
   *
   * @param all whether to delete logs and settings, too
   * @param data names of data directories, in addition to those of the servers
   * @return whether the directory was kept
   */
  public boolean removeFiles(boolean all, List<String> data) throws IOException {
    if (all) {
      Scratch.remove(directory);
      return false;
    }
    Scratch.remove(directory.resolve(SECRETS));
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

  /** Ends all processes; files are kept. Idempotent. */
  @Override
  public void close() {
    endAll();
    try {
      if (shutdownHook != null) {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      }
    } catch (IllegalStateException alreadyShuttingDown) {
      // The shutdown hook ends the processes.
    }
  }

  private void endAll() {
    try {
      synchronized (this) {
        killActions.forEach(Runnable::run);
      }
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }
}
