package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.it.cluster.InProcessCluster;
import io.sluice.it.spark.BuiltInDigests;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spark jobs with a secret whose coordinator or servers are not authenticated. */
@Timeout(300)
class FalseClusterTest {
  private static final List<String> JOBS = List.of("groupByKey");

  @TempDir private Path directory;

  private InProcessCluster cluster;

  @BeforeEach
  void newCluster() {
    cluster = new InProcessCluster(directory);
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  private Outcome runWithSecret() throws Exception {
    Path secret = Files.writeString(directory.resolve("alice"), SecuredCluster.ALICE + "\n");
    Outcome found =
        SparkApplication.onSluice(
                directory.resolve("job"), "127.0.0.1:" + cluster.coordinator().rpcPort())
            .withOneExecutor()
            .set("spark.rss.security.user", "alice")
            .set("spark.rss.security.user.secret.file", secret.toString())
            .run(JOBS);
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest("groupByKey")).isEqualTo(BuiltInDigests.of("groupByKey"));
    return found;
  }

  @Test
  void aJobFallsBackIfTheCoordinatorIsNotAuthenticated() throws Exception {
    cluster.startCoordinator(Map.of());
    cluster.startServer("data", Map.of());

    Outcome found = runWithSecret();

    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks())
        .isNotEmpty()
        .allMatch(reason -> reason.contains("did not prove that it belongs to this cluster"));
    // The warning in the user's log.
    assertThat(found.linesWith("falling back to Spark's built-in shuffle"))
        .as(found.log())
        .isEqualTo(1);
  }

  @Test
  void aJobPushesNothingToAnUnauthenticatedServer() throws Exception {
    Path users =
        Files.writeString(
            directory.resolve("users"), TestUsers.line("alice", "user", SecuredCluster.ALICE));
    Map<String, String> settings =
        new HashMap<>(new TestAuthority().files(directory, ProcessRole.COORDINATOR));
    settings.put("rss.security.users.file", users.toString());
    // The coordinator accepts heartbeats of a server without an identity and assigns it to jobs.
    cluster.startCoordinator(settings);
    cluster.startServer("data", Map.of());

    Outcome found = runWithSecret();

    assertThat(found.shufflesOnSluice()).isPositive();
    assertThat(sum(found, ".writes.pushedBytes")).isZero();
    assertThat(sum(found, ".writes.localBytes")).isPositive();
  }

  private static long sum(Outcome found, String counter) {
    return found.results().stringPropertyNames().stream()
        .filter(name -> name.startsWith("shuffle.") && name.endsWith(counter))
        .mapToLong(name -> Long.parseLong(found.results().getProperty(name)))
        .sum();
  }
}
