package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.tls.TestCertificates;
import io.sluice.it.spark.BuiltInDigests;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spark on a cluster with authentication and encryption. */
@Timeout(300)
class SparkSecurityTest {
  private static final List<String> JOBS = List.of("groupByKey", "join");
  private static final String BUILT_IN_SHUFFLE = "falling back to Spark's built-in shuffle";

  @TempDir static Path directory;

  private static SecuredCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    TestCertificates.write(directory, "sluice", "127.0.0.1");
    cluster = new SecuredCluster(directory);
    cluster.start(
        Map.of(
            "rss.security.tls.enabled", "true",
            "rss.security.tls.certificate.file", directory.resolve("sluice.crt").toString(),
            "rss.security.tls.key.file", directory.resolve("sluice.key").toString(),
            "rss.security.tls.trust.file", directory.resolve("sluice.crt").toString()));
  }

  @AfterAll
  static void stopCluster() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static SparkApplication application(String name, String secret) throws Exception {
    Path file = Files.writeString(directory.resolve(name + ".secret"), secret + "\n");
    return SparkApplication.onSluice(
            directory.resolve(name), "127.0.0.1:" + cluster.coordinator().rpcPort())
        .withOneExecutor()
        .set("spark.rss.security.user", "alice")
        .set("spark.rss.security.user.secret.file", file.toString())
        .set("spark.rss.security.tls.enabled", "true")
        .set("spark.rss.security.tls.trust.file", directory.resolve("sluice.crt").toString())
        .set("spark.eventLog.enabled", "true")
        // So that the test would find a secret in it.
        .set("spark.eventLog.compress", "false")
        .set(
            "spark.eventLog.dir",
            Files.createDirectories(directory.resolve(name + ".events")).toUri().toString());
  }

  private static void assertSameRows(Outcome found) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : JOBS) {
      assertThat(found.digest(job)).isEqualTo(BuiltInDigests.of(job));
    }
  }

  @Test
  void executorsUseTheCredentialOfTheDriverAndNoSecretIsStored() throws Exception {
    Outcome found = application("secured", SecuredCluster.ALICE).run(JOBS);
    assertSameRows(found);
    assertThat(found.fallbacks()).as(found.log()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
    assertThat(found.log()).doesNotContain(SecuredCluster.ALICE);
    try (Stream<Path> written = Files.walk(directory.resolve("secured.events"))) {
      for (Path file : written.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).doesNotContain(SecuredCluster.ALICE);
      }
    }
  }

  @Test
  void aWrongSecretLogsOneWarningAndChangesNoRow() throws Exception {
    Outcome found = application("wrong", SecuredCluster.BOB).run(JOBS);
    assertSameRows(found);
    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks()).isNotEmpty();
    // The warning in the user's log.
    assertThat(found.linesWith(BUILT_IN_SHUFFLE)).as(found.log()).isEqualTo(1);
    assertThat(found.log()).contains("user alice is unknown, or its secret is wrong");
  }
}
