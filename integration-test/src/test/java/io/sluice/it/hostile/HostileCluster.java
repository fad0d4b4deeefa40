package io.sluice.it.hostile;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.tls.TestCertificates;
import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A coordinator and a server with the configuration of {@code conf/small} and authentication.
 * Connection limits and timeouts are lower, so that tests can reach them. Not thread-safe.
 */
final class HostileCluster implements AutoCloseable {
  /** Connection limit of the server's data port and of each gRPC port. */
  static final int MAX_CONNECTIONS = 400;

  static final int MAX_CONNECTIONS_PER_ADDRESS = 200;
  static final int MAX_CONNECTIONS_PER_APPLICATION = 100;

  /** Connection limit of each HTTP port: the default. */
  static final int MAX_HTTP_CONNECTIONS = 256;

  static final int MAX_HTTP_CONNECTIONS_PER_ADDRESS = 64;

  /** Authentication timeout of a data connection. */
  static final int HELLO_SECONDS = 5;

  private final Path directory;
  private final Encryption encryption;
  private final SampleSizes sizes;
  private LocalCluster processes;
  private int starts;

  /**
   * @param directory directory for all files of the processes
   */
  HostileCluster(Path directory, Encryption encryption) throws IOException {
    this.directory = directory;
    this.encryption = encryption;
    this.sizes = SampleSizes.read();
  }

  /**
   * Stops running processes and starts new ones.
   *
   * @param serverOptions additional options of the server, which override the options here
   */
  void start(Map<String, String> serverOptions) throws Exception {
    close();
    Path home = directory.resolve("start-" + ++starts);
    Files.createDirectories(home);
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
    LocalCluster.Builder builder =
        TestCluster.builder(home)
            .servers(1)
            .coordinatorJvmOptions(jvm(sizes.coordinatorOptions()))
            .serverJvmOptions(jvm(sizes.serverOptions()))
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.buffer.capacity", Long.toString(sizes.blocksBytes()))
            // Little data stays in memory, so that reads are from files.
            .configureServers("rss.server.memory.shuffle.highWaterMark.percentage", "8")
            .configureServers("rss.server.memory.shuffle.lowWaterMark.percentage", "2")
            .configureServers(
                "rss.server.connections.per.application.max",
                Integer.toString(MAX_CONNECTIONS_PER_APPLICATION))
            .configureServers("rss.server.connection.hello.timeout", HELLO_SECONDS + "s");
    limit(builder);
    secure(builder, home);
    serverOptions.forEach(builder::configureServers);
    processes = builder.build();
    processes.start();
  }

  private static void limit(LocalCluster.Builder builder) {
    String all = Integer.toString(MAX_CONNECTIONS);
    String ofOne = Integer.toString(MAX_CONNECTIONS_PER_ADDRESS);
    builder
        .configureCoordinators("rss.coordinator.connections.max", all)
        .configureCoordinators("rss.coordinator.connections.per.peer.max", ofOne)
        .configureServers("rss.server.connections.max", all)
        .configureServers("rss.server.connections.per.peer.max", ofOne);
  }

  private void secure(LocalCluster.Builder builder, Path home) throws Exception {
    TestAuthority authority = new TestAuthority();
    authority.files(home, ProcessRole.COORDINATOR).forEach(builder::configureCoordinators);
    authority.files(home, ProcessRole.SERVER).forEach(builder::configureServers);
    Path users = secretFile(home.resolve("users"), Identity.usersFile());
    Map<String, String> security =
        new LinkedHashMap<>(
            Map.of(
                "rss.security.authentication.enabled",
                "true",
                "rss.security.users.file",
                users.toString()));
    if (encryption == Encryption.TLS) {
      TestCertificates.write(home, "sluice", "127.0.0.1");
      security.put("rss.security.tls.enabled", "true");
      security.put("rss.security.tls.certificate.file", home.resolve("sluice.crt").toString());
      security.put("rss.security.tls.key.file", home.resolve("sluice.key").toString());
      security.put("rss.security.tls.trust.file", home.resolve("sluice.crt").toString());
    }
    security.forEach(
        (key, value) -> builder.configureCoordinators(key, value).configureServers(key, value));
  }

  private static Path secretFile(Path file, String text) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }

  /** Options as in production, but with the C1 compiler only: see {@link TestCluster}. */
  private static String[] jvm(List<String> options) {
    List<String> all = new ArrayList<>(options);
    all.add("-XX:TieredStopAtLevel=1");
    // The production log configuration; the class path of tests contains another one.
    all.add("-Dlogback.configurationFile=logback.xml");
    return all.toArray(String[]::new);
  }

  /** The processes whose memory and connections are checked. */
  List<ProcessHealth> processes(Target target) throws Exception {
    return List.of(
        new ProcessHealth(target, target.coordinator(), sizes),
        new ProcessHealth(target, target.server(), sizes));
  }

  ClusterNode coordinator() {
    return processes.coordinator();
  }

  ClusterNode server() {
    return processes.servers().get(0);
  }

  /** Addresses of the running processes for peers. */
  Target target() throws IOException {
    Path home = coordinator().directory().getParent();
    return new Target(
        coordinator(),
        server(),
        encryption == Encryption.TLS ? Optional.of(home) : Optional.empty());
  }

  @Override
  public void close() {
    if (processes != null) {
      processes.close();
      processes = null;
    }
  }
}
