package io.sluice.localcluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Coordinators and shuffle servers as processes on this machine. They listen on loopback, on free
 * ports that the first start chooses.
 *
 * <p>{@link #start} returns once every process accepts connections; servers may register with the
 * coordinators later, see {@link ClusterProbe#awaitActiveServers}. {@link #close} stops all
 * processes and kills those that exceed the stop timeout. A shutdown hook does the same if this JVM
 * ends without calling it.
 */
public final class LocalCluster implements AutoCloseable {

  /** Settings of starting and stopping processes, shared by all nodes. */
  record Launch(
      Path java,
      List<String> jvmOptions,
      String classPath,
      String mainClass,
      String host,
      Duration startTimeout,
      Duration stopTimeout) {}

  /** Addresses at which processes reach coordinators, such as those of proxies. */
  public interface Routes {
    /**
     * Returns an address as {@code host:port}.
     *
     * @param from the calling process; all coordinators must use the same address of a coordinator
     */
    String address(ClusterNode from, ClusterNode coordinator);
  }

  private final List<ClusterNode> coordinators;
  private final List<ClusterNode> servers;
  private final FreePorts ports;
  private final Routes routes;
  private final Thread shutdownHook = new Thread(this::stopAll, "local-cluster-stop");
  private boolean hooked;

  private LocalCluster(
      List<ClusterNode> coordinators, List<ClusterNode> servers, FreePorts ports, Routes routes) {
    this.ports = ports;
    this.routes = routes;
    this.coordinators = List.copyOf(coordinators);
    this.servers = List.copyOf(servers);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts the coordinators, which form a quorum if there are several, then all servers at once.
   *
   * @throws ClusterStartException if a process does not start; the others are stopped then
   */
  public void start() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(shutdownHook);
    hooked = true;
    try {
      for (ClusterNode coordinator : coordinators) {
        coordinator.reservePorts();
      }
      if (coordinators.size() > 1) {
        for (ClusterNode coordinator : coordinators) {
          coordinator.configure("rss.coordinator.quorum", quorumOf(coordinator));
          coordinator.configure(
              "rss.coordinator.quorum.self", routes.address(coordinator, coordinator));
          coordinator.configure(
              "rss.coordinator.data.dir", coordinator.directory().resolve("data").toString());
        }
      }
      startTogether(coordinators);
      for (ClusterNode server : servers) {
        server.configure("rss.coordinator.quorum", quorumOf(server));
      }
      startTogether(servers);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  public List<ClusterNode> coordinators() {
    return coordinators;
  }

  /** The first coordinator. */
  public ClusterNode coordinator() {
    return coordinators.get(0);
  }

  public List<ClusterNode> servers() {
    return servers;
  }

  /**
   * Coordinators as {@code host:port,host:port}, the format of {@code
   * spark.rss.coordinator.quorum}.
   */
  public String quorum() {
    return coordinators.stream().map(ClusterNode::address).collect(Collectors.joining(","));
  }

  private String quorumOf(ClusterNode from) {
    return coordinators.stream()
        .map(coordinator -> routes.address(from, coordinator))
        .collect(Collectors.joining(","));
  }

  /** Stops servers, then coordinators; idempotent. */
  @Override
  public void close() {
    stopAll();
    ports.close();
    if (hooked) {
      hooked = false;
      try {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
      } catch (IllegalStateException alreadyShuttingDown) {
        // The shutdown hook stops the processes.
      }
    }
  }

  private void stopAll() {
    stopTogether(servers);
    stopTogether(coordinators);
  }

  private static void startTogether(List<ClusterNode> nodes)
      throws IOException, InterruptedException {
    ExecutorService starters = Executors.newCachedThreadPool();
    try {
      List<Future<Void>> starts = new ArrayList<>();
      for (ClusterNode node : nodes) {
        starts.add(
            starters.submit(
                () -> {
                  node.start();
                  return null;
                }));
      }
      for (Future<Void> start : starts) {
        start.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      // Interrupts starts that still wait; each kills its process then.
      starters.shutdownNow();
    }
  }

  /** Stops nodes concurrently, because each may take the whole stop timeout. */
  private static void stopTogether(List<ClusterNode> nodes) {
    List<Thread> stoppers = new ArrayList<>();
    for (ClusterNode node : nodes) {
      Thread stopper = new Thread(node::stop, "stop-" + node.name());
      stopper.start();
      stoppers.add(stopper);
    }
    boolean interrupted = false;
    for (Thread stopper : stoppers) {
      while (stopper.isAlive()) {
        try {
          stopper.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Builder of a cluster. Class path and directory are required; the rest has defaults. */
  public static final class Builder {
    private Path directory;
    private String classPath;
    private Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    private String mainClass = "io.sluice.cli.Main";
    private String host = ClusterNode.HOST;
    private int coordinatorCount = 1;
    private int serverCount = 2;
    private final Map<String, String> coordinatorConfiguration = new LinkedHashMap<>();
    private final Map<String, String> serverConfiguration = new LinkedHashMap<>();
    private List<String> coordinatorJvmOptions = List.of("-Xmx128m", "-XX:+UseSerialGC");
    private List<String> serverJvmOptions = List.of("-Xmx256m", "-XX:+UseSerialGC");
    private List<String> archiveOptions = List.of();
    private Duration startTimeout = Duration.ofMinutes(5);
    private Duration stopTimeout = Duration.ofSeconds(20);
    private Routes routes = (from, coordinator) -> coordinator.address();

    private Builder() {}

    /** Parent of the nodes' directories. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** Class path of the processes. */
    public Builder classPath(String classPath) {
      this.classPath = classPath;
      return this;
    }

    public Builder java(Path java) {
      this.java = java;
      return this;
    }

    public Builder mainClass(String mainClass) {
      this.mainClass = mainClass;
      return this;
    }

    /** Host that every process binds and announces; default {@value ClusterNode#HOST}. */
    public Builder host(String host) {
      this.host = host;
      return this;
    }

    public Builder coordinators(int count) {
      this.coordinatorCount = count;
      return this;
    }

    public Builder servers(int count) {
      this.serverCount = count;
      return this;
    }

    /** Sets a configuration key of every coordinator. */
    public Builder configureCoordinators(String key, String value) {
      coordinatorConfiguration.put(key, value);
      return this;
    }

    /**
     * Sets a configuration key of every server; {@link ClusterNode#configure} sets it for one
     * server.
     */
    public Builder configureServers(String key, String value) {
      serverConfiguration.put(key, value);
      return this;
    }

    public Builder coordinatorJvmOptions(String... options) {
      this.coordinatorJvmOptions = List.of(options);
      return this;
    }

    public Builder serverJvmOptions(String... options) {
      this.serverJvmOptions = List.of(options);
      return this;
    }

    /** Class data archive of the class path, with which all processes start; default none. */
    public Builder archive(ClassDataArchive archive) {
      this.archiveOptions = archive.jvmOptions();
      return this;
    }

    /**
     * Time within which each process must accept connections; default 5 minutes. A process that
     * exits before that is reported at once.
     */
    public Builder startTimeout(Duration timeout) {
      this.startTimeout = timeout;
      return this;
    }

    /** Time within which each process must stop; it is killed after that. */
    public Builder stopTimeout(Duration timeout) {
      this.stopTimeout = timeout;
      return this;
    }

    /** Addresses of coordinators at other processes; default: those of the coordinators. */
    public Builder routes(Routes routes) {
      this.routes = routes;
      return this;
    }

    public LocalCluster build() {
      if (directory == null || classPath == null) {
        throw new IllegalStateException("directory and class path of a local cluster must be set");
      }
      if (coordinatorCount < 1 || serverCount < 0) {
        throw new IllegalArgumentException(
            "a cluster needs at least one coordinator and zero or more servers: coordinators="
                + coordinatorCount
                + " servers="
                + serverCount);
      }
      Launch launch =
          new Launch(java, archiveOptions, classPath, mainClass, host, startTimeout, stopTimeout);
      FreePorts ports = new FreePorts(new Random());
      List<ClusterNode> coordinators = new ArrayList<>();
      for (int i = 1; i <= coordinatorCount; i++) {
        String name = "coordinator-" + i;
        coordinators.add(
            new ClusterNode(
                name,
                ClusterNode.Role.COORDINATOR,
                directory.resolve(name),
                launch,
                ports,
                coordinatorConfiguration,
                coordinatorJvmOptions));
      }
      List<ClusterNode> servers = new ArrayList<>();
      for (int i = 1; i <= serverCount; i++) {
        String name = "server-" + i;
        Path nodeDirectory = directory.resolve(name);
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("rss.rpc.server.type", "GRPC_NETTY");
        configuration.put("rss.storage.type", "MEMORY_LOCALFILE");
        configuration.put("rss.storage.basePath", nodeDirectory.resolve("data").toString());
        configuration.put("rss.server.buffer.capacity", "64MiB");
        configuration.putAll(serverConfiguration);
        servers.add(
            new ClusterNode(
                name,
                ClusterNode.Role.SERVER,
                nodeDirectory,
                launch,
                ports,
                configuration,
                serverJvmOptions));
      }
      return new LocalCluster(coordinators, servers, ports, routes);
    }
  }
}
