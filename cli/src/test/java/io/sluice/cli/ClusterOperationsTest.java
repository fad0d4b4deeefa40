package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Commands that change a running cluster. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class ClusterOperationsTest {
  @TempDir static Path directory;
  @AutoClose private CommandCluster cluster;

  @BeforeAll
  void start() throws IOException {
    cluster = new CommandCluster(directory);
  }

  @Test
  void decommissionsAServerWhenItsDataIsDeleted() throws Exception {
    try (ShuffleServerProcess leaving =
        cluster.startServer("leaving", Map.of("rss.server.decommission.check.interval", "100ms"))) {
      String name = CommandCluster.name(leaving);
      while (!cluster.run("admin", "servers").out().contains(name)) {
        Thread.onSpinWait();
      }
      leaving.decommissioned().thenRunAsync(leaving::close);

      CliRun run = cluster.run("admin", "decommission", name, "--wait", "--poll", "100ms");

      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .startsWith(name + ": gets no new assignments, stores 0 B\n")
          .endsWith(name + ": exited\n");
      assertThat(leaving.decommissioned().toCompletableFuture()).isDone();
    }
  }

  @Test
  void aDecommissionCanBeCancelled() {
    String name = cluster.serverName(1);

    assertThat(cluster.run("admin", "decommission", name).exitCode()).isZero();
    CliRun cancelled = cluster.run("admin", "decommission", name, "--cancel");

    assertThat(cancelled.exitCode()).isZero();
    assertThat(cancelled.out()).isEqualTo(name + ": decommission cancelled\n");
  }

  @Test
  void decommissionFailsForAnUnknownServer() {
    CliRun run = cluster.run("admin", "decommission", "unknown:1");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err()).isEqualTo("sluice admin decommission: server is not known: unknown:1\n");
  }

  @Test
  void drainsAServerAndCancelsTheDrain() {
    String name = cluster.serverName(1);

    CliRun drained = cluster.run("admin", "drain", name, "gone:1", "--ignore-missing");
    assertThat(drained.err()).isEmpty();
    assertThat(drained.out())
        .startsWith(name + ": gets no new assignments, stores ")
        .endsWith("B\ngone:1: not known\n");
    CliRun waited = cluster.run("admin", "drain", name, "--wait", "--poll", "100ms");
    assertThat(waited.exitCode()).isZero();
    assertThat(waited.out().lines()).last().asString().startsWith(name + ": stores ");

    CliRun cancelled = cluster.run("admin", "drain", name, "--cancel");
    assertThat(cancelled.exitCode()).isZero();
    assertThat(cancelled.out()).isEqualTo(name + ": drain cancelled\n");
    cluster.awaitActiveServers();
  }

  @Test
  void rollingRestartPrintsItsPlanAndCancelsTheDrainAfterAFailure() {
    String name = cluster.serverName(0);

    CliRun plan = cluster.run("admin", "rolling-restart", name, "--dry-run");
    assertThat(plan.err()).isEmpty();
    assertThat(plan.out()).isEqualTo(name + ": would be drained and restarted\n");

    CliRun failed =
        cluster.run(
            "admin",
            "rolling-restart",
            name,
            "--poll",
            "100ms",
            "--restart-command",
            "test \"$SLUICE_SERVER\" = " + name + " && test $SLUICE_HOST = 127.0.0.1 && exit 7");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err())
        .isEqualTo("sluice admin rolling-restart: restart command failed with exit code 7\n");
    assertThat(failed.out())
        .contains("[1/1] " + name + ": draining, stores ")
        .endsWith("[1/1] " + name + ": drain cancelled\n");
    cluster.awaitActiveServers();
  }

  @Test
  void deletesAnApplication() {
    CliRun push =
        cluster.run(
            "bench",
            "push",
            "--application",
            "deleted-app",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "2");
    assertThat(push.exitCode()).isZero();

    CliRun run = cluster.run("admin", "delete-application", "deleted-app");

    assertThat(run.out()).isEqualTo(cluster.quorum() + ": deleted-app: deleted\n");
    assertThat(run.exitCode()).isZero();
    assertThat(cluster.run("admin", "applications").out()).doesNotContain("deleted-app");
    assertThat(cluster.run("admin", "applications", "--all").out()).contains("deleted-app");

    CliRun again = cluster.run("admin", "delete-application", "deleted-app");

    assertThat(again.exitCode()).isEqualTo(4);
    assertThat(again.err())
        .isEqualTo(
            "sluice admin delete-application: coordinator "
                + cluster.quorum()
                + ": unknown or ended application: \"deleted-app\"\n");
  }

  @Test
  void excludesAndIncludes() {
    String name = cluster.serverName(1);

    CliRun excluded = cluster.run("admin", "exclude", name);
    CliRun list = cluster.run("admin", "exclusions");
    CliRun filtered = cluster.run("admin", "servers", "--state", "excluded");
    CliRun included = cluster.run("admin", "include", name);

    assertThat(excluded.out())
        .isEqualTo(cluster.quorum() + ": " + name + ": excluded until this coordinator restarts\n");
    assertThat(list.out()).isEqualTo(cluster.quorum() + " (until its restart):\n  " + name + "\n");
    assertThat(filtered.out().lines()).hasSize(2);
    assertThat(included.out())
        .isEqualTo(cluster.quorum() + ": " + name + ": included; gets assignments again\n");
    assertThat(cluster.run("admin", "exclusions").out())
        .isEqualTo(cluster.quorum() + " (until its restart): none\n");
    CliRun events = cluster.run("admin", "events", "--server", name, "-n", "2");
    assertThat(events.out().lines().toList().get(0)).contains("server excluded server=" + name);
    assertThat(events.out().lines().toList().get(1)).contains("server included again");
    assertThat(cluster.run("admin", "exclude", "unknown:1").exitCode()).isEqualTo(4);
  }

  @Test
  void refusesToRevokeWhereNoTokensAreIssued() {
    CliRun user = cluster.run("admin", "revoke", "user", "eve");
    CliRun application = cluster.run("admin", "revoke", "application", "eve.app");

    assertThat(user.exitCode()).isEqualTo(1);
    assertThat(user.err()).contains("issues no tokens").hasLineCount(1);
    assertThat(application.err()).contains("issues no tokens").hasLineCount(1);
    assertThat(cluster.run("admin", "revocations").out())
        .isEqualTo(cluster.quorum() + " (until its restart): none\n");
    assertThat(cluster.run("admin", "revoke").exitCode()).isEqualTo(2);
    assertThat(CliRun.of("admin", "revoke").err()).contains("revoke user NAME");
  }

  @Test
  void operationsContinueAtOtherCoordinatorsIfOneDoesNotAnswer() throws IOException {
    String name = cluster.serverName(0);
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String silent = "127.0.0.1:" + unused.getLocalPort();

      CliRun run =
          CliRun.of(
              "admin",
              "exclude",
              name,
              "--timeout",
              "500ms",
              "--coordinator",
              silent + "," + cluster.quorum());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).startsWith(cluster.quorum() + ": " + name + ": excluded");
      assertThat(run.err())
          .contains("coordinator " + silent)
          .doesNotContain(cluster.quorum() + ":");
    }
    assertThat(cluster.run("admin", "include", name).exitCode()).isZero();
  }

  @Test
  void reloadsCoordinatorsAndServers() {
    cluster.coordinatorSettings().put("rss.coordinator.app.max", "77");
    cluster.coordinatorSettings().put("rss.coordinator.connections.max", "61");
    cluster.serverSettings().put("rss.server.tags", "reloaded");

    CliRun coordinators = cluster.run("admin", "reload");
    CliRun all = cluster.run("admin", "reload", "--all-servers");
    CliRun json = cluster.run("admin", "reload", "--server", cluster.serverName(0), "-o", "json");
    cluster.coordinatorSettings().put("rss.coordinator.app.max", "none");
    CliRun broken = cluster.run("admin", "reload");

    assertThat(coordinators.out())
        .isEqualTo(
            cluster.quorum()
                + ": rss.coordinator.app.max: 10000 -> 77\n"
                + cluster.quorum()
                + ": rss.coordinator.connections.max: 20000 -> 61 needs a restart\n");
    assertThat(all.err()).isEmpty();
    assertThat(all.out().lines()).hasSize(2).allMatch(line -> line.endsWith("- -> reloaded"));
    assertThat(JsonMapper.shared().readTree(json.out()).get("applied")).isEmpty();
    assertThat(broken.exitCode()).isEqualTo(1);
    assertThat(broken.err().lines()).hasSize(1);
    assertThat(broken.err()).contains("configuration not changed", "rss.coordinator.app.max");
  }
}
