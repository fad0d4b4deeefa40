package io.sluice.benchmark.load;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A coordinator and a server on this machine with new secrets, and a user with access to them. Used
 * by one thread.
 */
final class ProtectedCluster implements AutoCloseable {
  private static final String TLS = "rss.security.tls.enabled";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final long CALL_TIMEOUT_MS = 10_000;

  private final Protection protection;
  private final LocalCluster cluster;
  private final ControlIdentity identity;

  private ProtectedCluster(Protection protection, LocalCluster cluster, ControlIdentity identity) {
    this.protection = protection;
    this.cluster = cluster;
    this.identity = identity;
  }

  /**
   * Starts the cluster and waits until the server is active.
   *
   * @param directory directory for the secrets, accessible only to its owner
   * @param bufferBytes rss.server.buffer.capacity
   */
  static ProtectedCluster start(Protection protection, Path directory, long bufferBytes)
      throws IOException, InterruptedException {
    LocalCluster.Builder builder =
        LocalCluster.builder()
            .directory(directory)
            .classPath(System.getProperty("java.class.path"))
            .servers(1)
            .serverJvmOptions("-Xmx512m", "-XX:MaxDirectMemorySize=" + (bufferBytes + (512L << 20)))
            .configureServers("rss.server.buffer.capacity", Long.toString(bufferBytes));
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

  private HostPort coordinator() {
    return HostPort.parse(cluster.coordinator().address());
  }

  Protection protection() {
    return protection;
  }

  /** Target for a new application, which gets its own token. */
  BenchRun.Target target() {
    return new BenchRun.Target(
        List.of(coordinator()), CALL_TIMEOUT_MS, identity.ofAnotherApplication());
  }

  @Override
  public void close() {
    cluster.close();
  }
}
