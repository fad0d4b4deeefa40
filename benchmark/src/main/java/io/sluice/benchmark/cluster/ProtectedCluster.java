package io.sluice.benchmark.cluster;

import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.secure.LocalSecrets;
import io.sluice.cli.secure.SecureSources;
import io.sluice.common.config.HostPort;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A coordinator and a server on this machine with new secrets, and a user with access to them. Used
 * by one thread.
 */
public final class ProtectedCluster implements AutoCloseable {
  private static final String TLS = "rss.security.tls.enabled";
  private static final long DEFAULT_HEAP_BYTES = 512L << 20;
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
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
  }

  /**
   * Starts the cluster and waits until the server is active.
   *
   * @param directory directory for the secrets, accessible only to its owner
   */
  public static ProtectedCluster start(Protection protection, Path directory, ServerShape shape)
      throws IOException, InterruptedException {
    List<String> jvmOptions = new ArrayList<>(List.of("-Xmx" + shape.heapBytes()));
    jvmOptions.addAll(shape.jvmOptions());
    LocalCluster.Builder builder =
        LocalCluster.builder()
            .directory(directory)
            .classPath(System.getProperty("java.class.path"))
            .servers(1)
            .serverJvmOptions(jvmOptions.toArray(String[]::new))
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

  /** Address of the coordinator. */
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

  /** CPU time and memory of the server. */
  public ProcessMeter server() {
    return new ProcessMeter(cluster.servers().get(0).pid());
  }

  @Override
  public void close() {
    cluster.close();
  }
}
