package io.sluice.benchmark.cluster;

import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.secure.LocalSecrets;
import io.sluice.cli.secure.SecureSources;
import io.sluice.common.config.HostPort;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.localcluster.ClassDataArchive;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Coordinators and a server on this machine with new secrets, and a user with access to them. Used
 * by one thread.
 */
public final class ProtectedCluster implements AutoCloseable {
  private static final String TLS = "rss.security.tls.enabled";
  private static final long DEFAULT_HEAP_BYTES = 512L << 20;
  private static final List<String> COORDINATOR_OPTIONS = List.of("-Xmx128m", "-XX:+UseSerialGC");
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);
  private static final long CALL_TIMEOUT_MS = 10_000;

  private final Protection protection;
  private final ServerShape shape;
  private final LocalCluster cluster;
  private final ControlIdentity identity;

  private ProtectedCluster(
      Protection protection, ServerShape shape, LocalCluster cluster, ControlIdentity identity) {
    this.protection = protection;
    this.shape = shape;
    this.cluster = cluster;
    this.identity = identity;
  }

  /**
   * Memory and settings of the server.
   *
   * @param bufferBytes rss.server.buffer.capacity
   * @param heapBytes maximum size of the heap
   * @param settings additional configuration keys
   * @param jvmOptions additional options of its JVM
   */
  public record ServerShape(
      long bufferBytes, long heapBytes, Map<String, String> settings, List<String> jvmOptions) {
    /** A server with 512 MiB of heap. */
    public static ServerShape ofBuffer(long bufferBytes) {
      return new ServerShape(bufferBytes, DEFAULT_HEAP_BYTES, Map.of(), List.of());
    }

    /** Returns a copy with one more configuration key. */
    public ServerShape with(String key, String value) {
      Map<String, String> more = new HashMap<>(settings);
      more.put(key, value);
      return new ServerShape(bufferBytes, heapBytes, Map.copyOf(more), jvmOptions);
    }
  }

  /**
   * Processes of a cluster.
   *
   * @param coordinators number of coordinators; several form a quorum
   * @param jvmOptions additional options of the JVMs of coordinators and server
   */
  public record Processes(int coordinators, List<String> jvmOptions) {
    /** One coordinator. JVMs use the class data archive of the installation if it exists. */
    public static Processes ofInstallation() {
      String archive = System.getProperty(ClassDataArchive.PROPERTY);
      return new Processes(
          1, archive == null ? List.of() : new ClassDataArchive(Path.of(archive)).jvmOptions());
    }
  }

  /** Starts the processes of the installation and waits until the server is active. */
  public static ProtectedCluster start(Protection protection, Path directory, ServerShape shape)
      throws IOException, InterruptedException {
    return start(protection, directory, shape, Processes.ofInstallation());
  }

  /**
   * Starts the cluster and waits until the server is active.
   *
   * @param directory directory for the secrets, accessible only to its owner
   */
  public static ProtectedCluster start(
      Protection protection, Path directory, ServerShape shape, Processes processes)
      throws IOException, InterruptedException {
    LocalCluster.Builder builder =
        LocalCluster.builder()
            .directory(directory)
            .classPath(System.getProperty("java.class.path"))
            .coordinators(processes.coordinators())
            .coordinatorJvmOptions(options(List.of(COORDINATOR_OPTIONS, processes.jvmOptions())))
            .servers(1)
            .serverJvmOptions(
                options(
                    List.of(
                        List.of("-Xmx" + shape.heapBytes()),
                        shape.jvmOptions(),
                        processes.jvmOptions())))
            .configureServers("rss.server.buffer.capacity", Long.toString(shape.bufferBytes()));
    shape.settings().forEach(builder::configureServers);
    Map<String, String> environment = new HashMap<>();
    if (protection.demandsProof()) {
      Path secure = directory.resolve("secure");
      ClusterSecrets.Access access = new LocalSecrets(SecureSources.ofMachine()).create(secure);
      access.coordinator().forEach(builder::configureCoordinators);
      access.server().forEach(builder::configureServers);
      environment.putAll(LocalSecrets.environment(secure, LocalSecrets.USER));
      if (!protection.encrypts()) {
        builder.configureCoordinators(TLS, "false").configureServers(TLS, "false");
        environment.remove(ControlIdentity.TRUST_VARIABLE);
      }
    }
    ProtectedCluster started =
        new ProtectedCluster(
            protection,
            shape,
            builder.build(),
            ControlIdentity.of(environment, System.getProperty("user.name")));
    started.cluster.start();
    try {
      started.awaitServer();
      return started;
    } catch (IOException | InterruptedException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  private static String[] options(List<List<String>> lists) {
    return lists.stream().flatMap(List::stream).toArray(String[]::new);
  }

  private void awaitServer() throws IOException, InterruptedException {
    try (ClusterProbe probe = new ClusterProbe(cluster);
        ControlChannel coordinator =
            new ControlChannel("coordinator", coordinator(), CALL_TIMEOUT_MS, identity)) {
      probe.await(
          "the server has registered with the coordinator",
          START_TIMEOUT,
          () ->
              coordinator
                  .coordinator(stub -> stub.listServers(ListServersRequest.getDefaultInstance()))
                  .getServersList()
                  .stream()
                  .anyMatch(server -> server.getState() == ServerState.ACTIVE));
    }
  }

  /** Address of the first coordinator. */
  public HostPort coordinator() {
    return HostPort.parse(cluster.coordinator().address());
  }

  public Protection protection() {
    return protection;
  }

  /** Target for a new application, which gets its own token. */
  public BenchRun.Target target() {
    return new BenchRun.Target(
        List.of(coordinator()), CALL_TIMEOUT_MS, identity.ofAnotherApplication());
  }

  /** User of the cluster. */
  public ControlIdentity identity() {
    return identity;
  }

  /** Memory and settings of the server. */
  public ServerShape shape() {
    return shape;
  }

  /** Addresses of the pages of all processes, without a path. */
  public List<URI> pages() {
    return Stream.concat(cluster.coordinators().stream(), cluster.servers().stream())
        .map(ClusterNode::httpAddress)
        .map(URI::create)
        .toList();
  }

  /** CPU time and memory of the server. */
  public ProcessMeter server() {
    return new ProcessMeter(cluster.servers().get(0).pid());
  }

  @Override
  public void close() {
    cluster.close();
  }
}
