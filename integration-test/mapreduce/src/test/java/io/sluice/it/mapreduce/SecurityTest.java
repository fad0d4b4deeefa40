package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** MapReduce on servers with authentication and encryption. */
@ExtendWith(SharedClusters.class)
final class SecurityTest {
  private static final String ALICE = "0123456789abcdef0123456789abcdef";
  private static final String WRONG_SECRET = "fedcba9876543210fedcba9876543210";
  private static final String BUILT_IN_SHUFFLE = "job falls back to Hadoop's built-in shuffle";

  private final Clusters clusters;
  private final Path directory;
  private final Path input;
  private CoordinatorProcess coordinator;
  private ShuffleServerProcess server;

  SecurityTest(Clusters clusters) throws IOException {
    this.clusters = clusters;
    directory = clusters.directory("security");
    input = TestInputs.words(directory.resolve("in"), 2, 5_000, 27);
  }

  @BeforeEach
  void startSecured() throws Exception {
    TestCertificates.write(directory, "sluice", "127.0.0.1");
    Map<String, String> both = new HashMap<>();
    both.put("rss.rpc.server.port", "0");
    both.put("rss.jetty.http.port", "0");
    both.put("rss.security.authentication.enabled", "true");
    both.put("rss.security.tls.enabled", "true");
    both.put("rss.security.tls.certificate.file", directory.resolve("sluice.crt").toString());
    both.put("rss.security.tls.key.file", directory.resolve("sluice.key").toString());
    both.put("rss.security.tls.trust.file", directory.resolve("sluice.crt").toString());
    TestAuthority authority = new TestAuthority();
    Map<String, String> ofCoordinator = new HashMap<>(both);
    ofCoordinator.putAll(authority.files(directory, ProcessRole.COORDINATOR));
    ofCoordinator.put("rss.coordinator.host", "127.0.0.1");
    ofCoordinator.put(
        "rss.security.users.file", file("users", TestUsers.line("alice", "user", ALICE)));
    // Settings of the operator for all jobs, one of which overrides the jobs' own value.
    ofCoordinator.put("rss.coordinator.dynamicClientConf.enabled", "true");
    ofCoordinator.put(
        "rss.coordinator.dynamicClientConf.path",
        file(
            "jobs.conf",
            "rss.client.io.compression.codec ZSTD\nforce mapreduce.rss.local.output fallback\n"));
    coordinator = CoordinatorProcess.start(ConfigSet.of(CoordinatorConfig.SCHEMA, ofCoordinator));
    Map<String, String> ofServer = new HashMap<>(both);
    ofServer.putAll(authority.files(directory, ProcessRole.SERVER));
    ofServer.put("rss.coordinator.quorum", "127.0.0.1:" + coordinator.rpcPort());
    ofServer.put("rss.storage.basePath", directory.resolve("data").toString());
    ofServer.put("rss.server.host", "127.0.0.1");
    ofServer.put("rss.server.netty.port", "0");
    ofServer.put("rss.server.buffer.capacity", "16m");
    ofServer.put("rss.server.heartbeat.interval", "100ms");
    ofServer.put("rss.server.stop.timeout", "10s");
    server = ShuffleServerProcess.start(ConfigSet.of(ServerConfig.SCHEMA, ofServer));
  }

  @AfterEach
  void stopSecured() throws Exception {
    if (server != null) {
      server.close();
    }
    if (coordinator != null) {
      coordinator.close();
    }
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private ProgramOutcome run(String name, String secret) throws Exception {
    String credentials = file(name + ".json", "{\"sluice.user.secret\": \"" + secret + "\"}\n");
    return ShuffleComparison.succeeded(
        clusters.yarn(),
        HadoopProgram.example(clusters.yarn(), "wordcount")
            .set(clusters.throughSluice("127.0.0.1:" + coordinator.rpcPort()))
            .set("mapreduce.job.reduces", "2")
            .set("mapreduce.job.credentials.json", credentials)
            .set("mapreduce.rss.security.user", "alice")
            .set("mapreduce.rss.local.output", "always")
            .set("mapreduce.rss.security.tls.enabled", "true")
            .set(
                "mapreduce.rss.security.tls.trust.file", directory.resolve("sluice.crt").toString())
            .arguments(input, directory.resolve(name))
            .run(ShuffleComparison.TIMEOUT));
  }

  @Test
  void tasksUseTheCredentialOfTheirMasterAndNoSecretIsStored() throws Exception {
    ProgramOutcome outcome = run("proved", ALICE);
    assertThat(outcome.counter("PUSHED_SEGMENTS")).isEqualTo(4);
    assertThat(outcome.counter("SERVER_SEGMENTS")).isEqualTo(4);
    // The operator's setting overrides the job's.
    assertThat(outcome.counter("LOCAL_OUTPUTS")).isZero();
    // The operator sets compression, the job does not.
    assertThat(bytesPushedToTheServer()).isPositive().isLessThan(outcome.counter("PUSHED_BYTES"));
    String application = outcome.applications().get(0);
    assertThat(clusters.yarn().containerLogs(application))
        .contains("application=alice~" + application)
        .doesNotContain(ALICE);
    assertThat(outcome.printed()).doesNotContain(ALICE);
    // The first container is the application master's; only its user can read these files.
    assertThat(filesWith(clusters.yarn().directory(), ALICE))
        .allMatch(file -> file.matches(".*_000001/(.*\\.tokens|container_tokens|\\..*\\.crc)"));

    ProgramOutcome denied = run("denied", WRONG_SECRET);
    assertThat(OutputFiles.of(directory.resolve("denied")))
        .isNotEmpty()
        .isEqualTo(OutputFiles.of(directory.resolve("proved")));
    assertThat(denied.counter("PUSHED_SEGMENTS")).isZero();
    assertThat(
            clusters
                .yarn()
                .containerLogs(denied.applications().get(0))
                .lines()
                .filter(line -> line.contains(BUILT_IN_SHUFFLE)))
        .singleElement()
        .asString()
        .contains("alice is unknown, or its secret is wrong");
  }

  private long bytesPushedToTheServer() throws Exception {
    String metrics =
        HttpClient.newBuilder()
            .sslContext(TestTls.caller(directory, "sluice", Optional.empty()).https())
            .build()
            .send(
                HttpRequest.newBuilder(
                        URI.create("https://127.0.0.1:" + server.httpPort() + "/metrics"))
                    .timeout(Duration.ofSeconds(30))
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    String name = "sluice_server_pushed_bytes_total ";
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  /** Existing job files, history, logs and container directories. */
  private static List<String> filesWith(Path root, String text) throws IOException {
    List<String> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (!file.toString().endsWith(".jar") && contains(file, text)) {
              found.add(file.toString());
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  private static boolean contains(Path file, String text) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
    } catch (IOException gone) {
      return false;
    }
  }
}
