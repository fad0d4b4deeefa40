package io.sluice.benchmark.load;

import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.common.auth.Identity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.ScramVerifier;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.common.tls.PemFiles;
import io.sluice.common.tls.SelfSignedCertificate;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A coordinator and a server on this machine with new secrets, and a user with access to them. Used
 * by one thread.
 */
final class ProtectedCluster implements AutoCloseable {
  private static final String USER = "bench";
  private static final int SECRET_BYTES = 32;
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
    Map<String, String> settings = new HashMap<>();
    Map<String, String> environment = new HashMap<>();
    if (protection.demandsProof()) {
      makeSecrets(directory, settings, environment);
    }
    if (protection.encrypts()) {
      makeCertificate(directory, settings, environment);
    }
    LocalCluster.Builder builder =
        LocalCluster.builder()
            .directory(directory)
            .classPath(System.getProperty("java.class.path"))
            .servers(1)
            .serverJvmOptions("-Xmx512m", "-XX:MaxDirectMemorySize=" + (bufferBytes + (512L << 20)))
            .configureServers("rss.server.buffer.capacity", Long.toString(bufferBytes));
    settings.forEach(
        (key, value) -> builder.configureCoordinators(key, value).configureServers(key, value));
    if (protection.demandsProof()) {
      makeIdentities(directory, builder);
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

  private static void makeSecrets(
      Path directory, Map<String, String> settings, Map<String, String> environment)
      throws IOException {
    SecureRandom random = new SecureRandom();
    String userSecret = secret(random);
    String verifier = ScramVerifier.of(userSecret, random).text();
    Path usersFile = writeSecret(directory.resolve("users"), USER + " user " + verifier);
    Path userFile = writeSecret(directory.resolve("user-bench"), userSecret);
    settings.put("rss.security.authentication.enabled", "true");
    settings.put("rss.security.users.file", usersFile.toString());
    environment.put(ControlIdentity.USER_VARIABLE, USER);
    environment.put(ControlIdentity.FILE_VARIABLE, userFile.toString());
  }

  private static void makeIdentities(Path directory, LocalCluster.Builder builder)
      throws IOException {
    Validity validity = Validity.of(Clock.systemUTC(), Duration.ofDays(2));
    CertificateAuthority authority =
        CertificateAuthority.create("bench", validity, new SecureRandom());
    Path trusted =
        PemFiles.writeSecret(directory.resolve("authority.pem"), authority.certificatePem());
    builder
        .configureCoordinators("rss.security.authority.file", trusted.toString())
        .configureServers("rss.security.authority.file", trusted.toString())
        .configureCoordinators(
            "rss.security.identity.file",
            makeIdentity(directory, authority, ProcessRole.COORDINATOR, validity))
        .configureServers(
            "rss.security.identity.file",
            makeIdentity(directory, authority, ProcessRole.SERVER, validity));
  }

  private static String makeIdentity(
      Path directory, CertificateAuthority authority, ProcessRole role, Validity validity)
      throws IOException {
    return PemFiles.writeSecret(
            directory.resolve(role.text() + ".pem"),
            Identity.create(authority, role, role.text(), List.of(ClusterNode.HOST), validity))
        .toString();
  }

  private static Path writeSecret(Path file, String line) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, line + "\n");
  }

  private static void makeCertificate(
      Path directory, Map<String, String> settings, Map<String, String> environment)
      throws IOException, InterruptedException {
    SelfSignedCertificate.write(directory, "sluice", "ip:" + ClusterNode.HOST);
    String certificate = directory.resolve("sluice.crt").toString();
    settings.put("rss.security.tls.enabled", "true");
    settings.put("rss.security.tls.certificate.file", certificate);
    settings.put("rss.security.tls.key.file", directory.resolve("sluice.key").toString());
    settings.put("rss.security.tls.trust.file", certificate);
    environment.put(ControlIdentity.TRUST_VARIABLE, certificate);
  }

  private static String secret(SecureRandom random) {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
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
