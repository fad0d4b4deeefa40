package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands for a running cluster, against a coordinator and two servers in this JVM. */
@Timeout(120)
class ClusterCommandsTest {
  @TempDir static Path dir;
  private static CoordinatorProcess coordinator;
  private static final List<ShuffleServerProcess> servers = new ArrayList<>();
  private static String quorum;

  @BeforeAll
  static void start() throws IOException {
    coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0")));
    quorum = "127.0.0.1:" + coordinator.rpcPort();
    for (int i = 0; i < 2; i++) {
      servers.add(
          ShuffleServerProcess.start(
              ConfigSet.of(
                  ServerConfig.SCHEMA,
                  Map.of(
                      "rss.coordinator.quorum", quorum,
                      "rss.server.host", "127.0.0.1",
                      "rss.rpc.server.port", "0",
                      "rss.server.netty.port", "0",
                      "rss.jetty.http.port", "0",
                      "rss.storage.basePath", dir.resolve("disk" + i).toString(),
                      "rss.server.buffer.capacity", "16m"))));
    }
    awaitActive(2);
  }

  private static void awaitActive(int count) {
    while (CliRun.of("admin", "servers", "--coordinator", quorum)
            .out()
            .lines()
            .filter(line -> line.contains("ACTIVE"))
            .count()
        < count) {
      Thread.onSpinWait();
    }
  }

  @AfterAll
  static void stop() {
    servers.forEach(ShuffleServerProcess::close);
    if (coordinator != null) {
      coordinator.close();
    }
  }

  @Test
  void decommissionsAServerOnceItsDataIsForgotten() throws Exception {
    try (ShuffleServerProcess leaving =
        ShuffleServerProcess.start(
            ConfigSet.of(
                ServerConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.quorum", quorum,
                    "rss.server.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.server.netty.port", "0",
                    "rss.jetty.http.port", "0",
                    "rss.storage.basePath", dir.resolve("leaving").toString(),
                    "rss.server.buffer.capacity", "16m",
                    "rss.server.decommission.check.interval", "100ms")))) {
      String name = "127.0.0.1:" + leaving.rpcPort();
      while (!CliRun.of("admin", "servers", "--coordinator", quorum).out().contains(name)) {
        Thread.onSpinWait();
      }
      leaving.decommissioned().thenRunAsync(leaving::close);

      CliRun run =
          CliRun.of(
              "admin", "decommission", name, "--coordinator", quorum, "--wait", "--poll", "100ms");

      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .startsWith(name + ": takes no new assignment, holds 0 B\n")
          .endsWith(name + ": left\n");
      assertThat(leaving.decommissioned().toCompletableFuture()).isDone();
    }
  }

  @Test
  void aDecommissionCanBeCancelled() {
    String name = "127.0.0.1:" + servers.get(1).rpcPort();

    assertThat(CliRun.of("admin", "decommission", name, "--coordinator", quorum).exitCode())
        .isZero();
    CliRun cancelled =
        CliRun.of("admin", "decommission", name, "--coordinator", quorum, "--cancel");

    assertThat(cancelled.exitCode()).isZero();
    assertThat(cancelled.out()).isEqualTo(name + ": goes on\n");
  }

  @Test
  void drainsAServerUntilItIsToldToGoOn() {
    String name = "127.0.0.1:" + servers.get(1).rpcPort();

    CliRun drained =
        CliRun.of("admin", "drain", name, "gone:1", "--coordinator", quorum, "--ignore-missing");
    assertThat(drained.err()).isEmpty();
    assertThat(drained.out())
        .isEqualTo(name + ": takes no new assignment, holds 0 B\ngone:1: is not there\n");
    CliRun empty =
        CliRun.of("admin", "drain", name, "--coordinator", quorum, "--wait", "--poll", "100ms");
    assertThat(empty.exitCode()).isZero();
    assertThat(empty.out()).endsWith(name + ": holds 0 B\n");

    CliRun cancelled = CliRun.of("admin", "drain", name, "--coordinator", quorum, "--cancel");
    assertThat(cancelled.exitCode()).isZero();
    assertThat(cancelled.out()).isEqualTo(name + ": goes on\n");
    awaitActive(2);
  }

  @Test
  void aRollingRestartTellsItsPlanAndTakesBackWhatItCannotRestart() {
    String name = "127.0.0.1:" + servers.get(0).rpcPort();

    CliRun plan = CliRun.of("admin", "rolling-restart", "--coordinator", quorum, name, "--dry-run");
    assertThat(plan.err()).isEmpty();
    assertThat(plan.out()).isEqualTo(name + ": would be drained and restarted\n");

    CliRun failed =
        CliRun.of(
            "admin",
            "rolling-restart",
            "--coordinator",
            quorum,
            name,
            "--poll",
            "100ms",
            "--restart-command",
            "test \"$SLUICE_SERVER\" = " + name + " && test $SLUICE_HOST = 127.0.0.1 && exit 7");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err())
        .isEqualTo("sluice admin rolling-restart: the restart command ended with 7\n");
    assertThat(failed.out())
        .contains("[1/1] " + name + ": drains, holds ")
        .endsWith("[1/1] " + name + ": goes on as before\n");
    awaitActive(2);
  }

  @Test
  void asksAProcessWhetherItIsWell() throws IOException {
    CliRun well = CliRun.of("health", "--port", Integer.toString(servers.get(0).httpPort()));
    assertThat(well.err()).isEmpty();
    assertThat(well.exitCode()).isZero();

    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CliRun ill =
          CliRun.of(
              "health",
              "--tls",
              "--port",
              Integer.toString(silent.getLocalPort()),
              "--timeout-ms",
              "200");
      assertThat(ill.exitCode()).isEqualTo(1);
      assertThat(ill.err())
          .startsWith("sluice health: https://127.0.0.1:" + silent.getLocalPort() + "/healthz: ");
    }
  }

  @Test
  void decommissionNamesAServerThatIsNotThere() {
    CliRun run = CliRun.of("admin", "decommission", "nobody:1", "--coordinator", quorum);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "sluice admin decommission: no server of that name is known to coordinator "
                + quorum
                + ": nobody:1\n");
  }

  @Test
  void deletesAnApplication() {
    CliRun push =
        CliRun.of(
            "bench",
            "push",
            "--coordinator",
            quorum,
            "--application",
            "doomed",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "2");
    assertThat(push.exitCode()).isZero();

    CliRun run = CliRun.of("admin", "delete-application", "doomed", "--coordinator", quorum);

    assertThat(run.out()).isEqualTo("doomed: deleted\n");
    assertThat(run.exitCode()).isZero();
    assertThat(CliRun.of("admin", "applications", "--coordinator", quorum).out())
        .doesNotContain("doomed");
  }

  @Test
  void listsServersAsTableAndJson() {
    CliRun table = CliRun.of("admin", "servers", "--coordinator", quorum);
    assertThat(table.exitCode()).isZero();
    assertThat(table.out().lines()).hasSize(3);
    assertThat(table.out()).startsWith("server ").contains("16.0 MiB");

    CliRun json = CliRun.of("admin", "servers", "--coordinator", quorum, "--json");
    assertThat(json.exitCode()).isZero();
    assertThat(json.out())
        .startsWith("{")
        .contains("\"state\": \"ACTIVE\"", "\"rpcPort\": " + servers.get(0).rpcPort());
  }

  @Test
  void asksTheNextCoordinatorWhenOneIsSilent() throws IOException {
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String silent = "127.0.0.1:" + unused.getLocalPort();
      CliRun run =
          CliRun.of(
              "admin", "servers", "--timeout", "300ms", "--coordinator", silent + "," + quorum);
      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();

      CliRun alone = CliRun.of("admin", "servers", "--timeout", "300ms", "--coordinator", silent);
      assertThat(alone.exitCode()).isEqualTo(1);
      assertThat(alone.err().lines()).hasSize(1);
      assertThat(alone.err()).startsWith("sluice admin servers: coordinator " + silent + " ");
    }
  }

  @Test
  void tellsAServerFromACoordinator() {
    String server = "127.0.0.1:" + servers.get(0).rpcPort();

    CliRun wrongWay = CliRun.of("admin", "servers", "--coordinator", server);

    assertThat(wrongWay.exitCode()).isEqualTo(1);
    assertThat(wrongWay.err())
        .isEqualTo(
            "sluice admin servers: coordinator "
                + server
                + " is not a coordinator: it does not know the call\n");
  }

  @Test
  void showsCountersOfOneServerOrOfAll() {
    String one = "127.0.0.1:" + servers.get(0).rpcPort();
    CliRun single = CliRun.of("admin", "status", "--server", one);
    assertThat(single.exitCode()).isZero();
    assertThat(single.out()).contains(one).contains("memory capacity").contains("cpu seconds");

    CliRun all = CliRun.of("admin", "status", "--coordinator", quorum, "--json");
    assertThat(all.exitCode()).isZero();
    assertThat(all.out()).startsWith("[").contains("\"pushedBlocks\"");
    assertThat(all.out().split("\"processCpuNanos\"", -1)).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GRPC_NETTY", "GRPC"})
  void fetchesBackEveryBlockThatWasPushed(String transport) {
    CliRun run =
        CliRun.of(
            "bench",
            "fetch",
            "--coordinator",
            quorum,
            "--transport",
            transport,
            "--total",
            "3m",
            "--block-size",
            "10k",
            "--partitions",
            "7",
            "--connections",
            "5",
            "--frame-size",
            "64k");

    assertThat(run.err()).doesNotContain("sluice bench");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("308 in ").contains("throughput").contains("p99.9");
    assertThat(CliRun.of("admin", "applications", "--coordinator", quorum).out().lines())
        .hasSize(1);
  }

  @Test
  void aKeptPushIsThereForALaterFetchUnderItsName() {
    CliRun push =
        CliRun.of(
            "bench",
            "push",
            "--coordinator",
            quorum,
            "--application",
            "kept",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "5");
    assertThat(push.exitCode()).isZero();
    assertThat(push.out()).contains("bench fetch --application kept --partitions 5");
    assertThat(CliRun.of("admin", "applications", "--coordinator", quorum).out()).contains("kept");

    CliRun fetch =
        CliRun.of(
            "bench",
            "fetch",
            "--coordinator",
            quorum,
            "--application",
            "kept",
            "--partitions",
            "5");
    assertThat(fetch.exitCode()).isZero();
    assertThat(fetch.out()).contains("11 in ");

    CliRun again =
        CliRun.of(
            "bench",
            "fetch",
            "--coordinator",
            quorum,
            "--application",
            "kept",
            "--partitions",
            "5");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err().lines()).last().asString().startsWith("sluice bench fetch: ");
  }
}
