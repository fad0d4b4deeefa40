package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import io.sluice.common.docs.Checkout;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The end of a pod of the Helm chart with {@code server.moveBeforeStop}: the preStop command of the
 * chart's template runs on a server process under a job, with the keys that the chart sets. Only
 * the path of the file differs. The server must exit by itself while the command runs, because its
 * end and SIGTERM follow.
 */
@Tag("nightly")
@Timeout(300)
class PodStopTest {
  private static final int SERVERS = 3;
  private static final String TEMPLATES = "deploy/helm/sluice/templates/";
  private static final String FILE = "/tmp/termination";
  private static final String CALM = "faults/calm*4";

  @TempDir Path directory;

  private Process command;

  @AfterEach
  void endCommand() {
    if (command != null) {
      command.destroyForcibly();
    }
  }

  private SparkApplication application(LocalCluster cluster) {
    return FaultCluster.impatient(
            SparkApplication.onSluice(directory.resolve("job"), cluster.quorum()))
        .set("spark.cleaner.referenceTracking", "false");
  }

  /** A cluster with the keys of {@code server.moveBeforeStop}, and a file for each server. */
  private LocalCluster start(int servers, int deadlineSeconds) throws Exception {
    LocalCluster cluster =
        FaultCluster.builder(directory.resolve("cluster"))
            .servers(servers)
            // Drivers renew their lease, and receive moves, every three seconds.
            .configureCoordinators("rss.coordinator.app.expired", "9s")
            .build();
    for (ClusterNode server : cluster.servers()) {
      for (String line : keys(deadlineSeconds)) {
        String[] parts = line.split(" ", 2);
        server.configure(parts[0], parts[1].replace(FILE, file(server).toString()));
      }
    }
    cluster.start();
    return cluster;
  }

  private Path file(ClusterNode server) {
    return directory.resolve("end-of-" + server.name());
  }

  /** The lines of server.conf that the chart adds with {@code server.moveBeforeStop}. */
  private static List<String> keys(int deadlineSeconds) {
    String given = find("configmaps.yaml", "moveBeforeStop.enabled \\}\\}\n((?: +rss.*\n)+)");
    List<String> keys =
        given
            .replaceAll(
                "\\{\\{ [.]Values[.]server[.]moveBeforeStop[.]deadlineSeconds }}",
                Integer.toString(deadlineSeconds))
            .lines()
            .map(String::strip)
            .toList();
    assertThat(keys)
        .contains(
            "rss.server.termination.file " + FILE,
            "rss.server.termination.deadline " + deadlineSeconds + "s");
    return keys;
  }

  private static String find(String template, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(Checkout.text(TEMPLATES + template));
    assertThat(found.find()).as("%s in %s", pattern, template).isTrue();
    return found.group(1);
  }

  /** Runs the preStop command of a server's pod. */
  private void beginStop(ClusterNode server, int deadlineSeconds) throws IOException {
    String text =
        find("server.yaml", "preStop:\n +exec:\n +command: \\[sh, -c, \"([^\"]*[$]move[^\"]*)\"]")
            .replace("{{ $move }}", Integer.toString(moveSeconds(deadlineSeconds)))
            .replace(FILE, file(server).toString());
    command = new ProcessBuilder("sh", "-c", text).inheritIO().start();
  }

  /** The variable {@code $move} of the template. */
  private static int moveSeconds(int deadlineSeconds) {
    return deadlineSeconds
        + Integer.parseInt(
            find("server.yaml", "\\(add [$]values[.]moveBeforeStop[.]deadlineSeconds (\\d+)\\)"));
  }

  private void awaitExitDuringTheCommand(ClusterNode server, int deadlineSeconds)
      throws InterruptedException {
    assertThat(server.awaitExit(gracePeriod(deadlineSeconds)))
        .as("exit code of the server within the grace period of its pod")
        .hasValue(ExitCode.DECOMMISSIONED.status());
    assertThat(command.isAlive()).as("preStop command still runs").isTrue();
  }

  /** The grace period of the pod with the chart's default for stopping. */
  private static Duration gracePeriod(int deadlineSeconds) {
    Matcher stop =
        Pattern.compile("(?m)^  stopTimeoutSeconds: (\\d+)$")
            .matcher(Checkout.text("deploy/helm/sluice/values.yaml"));
    assertThat(stop.find()).as("stopTimeoutSeconds").isTrue();
    int rest =
        Integer.parseInt(
            find(
                "server.yaml",
                "terminationGracePeriodSeconds: .*[$]values[.]stopTimeoutSeconds (\\d+) [$]move"));
    return Duration.ofSeconds(
        Integer.parseInt(stop.group(1)) + rest + moveSeconds(deadlineSeconds));
  }

  @Test
  void aStoppedPodMovesItsDataAndNoMapRunsAgain() throws Exception {
    int deadlineSeconds = 90;
    String leaving = "faults/leaving*4@in-map,mapped";
    try (LocalCluster cluster = start(SERVERS, deadlineSeconds);
        ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
      ClusterNode server = cluster.servers().get(0);

      Outcome found =
          application(cluster)
              .at("leaving*4/in-map", () -> beginStop(server, deadlineSeconds))
              .at("leaving*4/mapped", () -> awaitExitDuringTheCommand(server, deadlineSeconds))
              .run(List.of(CALM, leaving));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.digest(leaving)).isEqualTo(found.digest(CALM));
      assertThat(found.number(leaving, "mapTasks")).isEqualTo(Expectation.MAPS);
      assertThat(found.number(leaving, "failedTasks")).isZero();
      assertThat(found.fallbacks()).isEmpty();
    }
  }

  @Test
  void aPodWithoutATargetForItsDataExitsAtTheDeadline() throws Exception {
    int deadlineSeconds = 10;
    String leaving = "faults/leaving*4@mapped";
    try (LocalCluster cluster = start(1, deadlineSeconds);
        ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(1, Duration.ofSeconds(60));
      ClusterNode server = cluster.servers().get(0);

      Outcome found =
          application(cluster)
              .at(
                  "leaving*4/mapped",
                  () -> {
                    beginStop(server, deadlineSeconds);
                    awaitExitDuringTheCommand(server, deadlineSeconds);
                  })
              .run(List.of(CALM, leaving));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.digest(leaving)).isEqualTo(found.digest(CALM));
      assertThat(found.number(leaving, "mapTasks")).isEqualTo(2 * Expectation.MAPS);
    }
  }
}
