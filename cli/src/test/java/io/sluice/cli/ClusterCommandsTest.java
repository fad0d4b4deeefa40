package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.ServerTime;
import io.sluice.proto.Status;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Commands that show the state of a running cluster. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
class ClusterCommandsTest {
  @TempDir static Path directory;
  @AutoClose private CommandCluster cluster;

  @BeforeAll
  void start() throws IOException {
    cluster = new CommandCluster(directory);
  }

  @Test
  void healthReportsTheStateOfAProcess() throws IOException {
    CliRun healthy = CliRun.of("health", "--port", Integer.toString(cluster.server(0).httpPort()));
    assertThat(healthy.err()).isEmpty();
    assertThat(healthy.exitCode()).isZero();

    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CliRun unhealthy =
          CliRun.of(
              "health",
              "--tls",
              "--port",
              Integer.toString(silent.getLocalPort()),
              "--timeout-ms",
              "200");
      assertThat(unhealthy.exitCode()).isEqualTo(1);
      assertThat(unhealthy.err())
          .startsWith("sluice health: https://127.0.0.1:" + silent.getLocalPort() + "/healthz: ");
    }
  }

  @Test
  void listsServersAsTableAndJson() {
    CliRun table = cluster.run("admin", "servers");
    assertThat(table.exitCode()).isZero();
    assertThat(table.out().lines()).hasSize(3);
    assertThat(table.out()).startsWith("server ").contains("16.0 MiB");

    CliRun wide = cluster.run("admin", "servers", "-o", "wide");
    assertThat(wide.out()).startsWith("server ").contains("epoch", cluster.server(0).epoch() + "");

    CliRun json = cluster.run("admin", "servers", "--output", "json");
    assertThat(json.exitCode()).isZero();
    JsonNode server = JsonMapper.shared().readTree(json.out()).at("/servers/0");
    assertThat(server.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(server.get("memory").get("capacityBytes").asLong()).isEqualTo(16 << 20);

    CliRun wrong = cluster.run("admin", "servers", "-o", "xml");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("expected one of table, wide, json, found \"xml\"");
  }

  @Test
  void showsOneServer() {
    String name = cluster.serverName(0);

    CliRun one = cluster.run("admin", "servers", name);
    CliRun none = cluster.run("admin", "servers", "unknown:1");

    assertThat(one.exitCode()).isZero();
    assertThat(one.out()).contains(name, "HEALTHY", cluster.disk(0).toString());
    assertThat(none.exitCode()).isEqualTo(4);
    assertThat(none.err()).endsWith("unknown server: \"unknown:1\"\n");
  }

  /** Ends an application whose two tasks waited 9 s for disks. */
  private void endExplained(String application) throws InterruptedException {
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget(cluster.quorum()).usePlaintext().build();
    try {
      CoordinatorBlockingStub stub =
          CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
      assertThat(
              stub.registerApplication(
                      RegisterApplicationRequest.newBuilder()
                          .setApplication(application)
                          .setUser("ann")
                          .setClientVersion("1")
                          .build())
                  .getStatus())
          .isEqualTo(Status.OK);
      UnregisterApplicationReply unused =
          stub.unregisterApplication(
              UnregisterApplicationRequest.newBuilder()
                  .setApplication(application)
                  .setReport(
                      ApplicationReport.newBuilder()
                          .setTasks(
                              TaskReport.newBuilder()
                                  .setPushedBytes(3 << 20)
                                  .setPushRetries(4)
                                  .setConcurrentTasks(2)
                                  .addServers(
                                      ServerTime.newBuilder()
                                          .setServer("disks:1")
                                          .setPushedBytes(3 << 20)
                                          .setPushWaitMs(9_000)
                                          .setDiskWaitMs(9_000))))
                  .build());
    } finally {
      channel.shutdownNow();
      assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void explainsAnApplication() throws InterruptedException {
    endExplained("explained");

    CliRun text = cluster.run("admin", "explain", "explained");
    CliRun json = cluster.run("admin", "explain", "explained", "-o", "json");
    CliRun none = cluster.run("admin", "explain", "none");

    assertThat(text.err()).isEmpty();
    assertThat(text.out())
        .startsWith("pushed 3.0 MiB, read 0 B, ")
        .contains("repeated: 4 pushes, 0 reads")
        .contains("\n1. DISK: about 4s of the job, 9s of its tasks\n   Tasks waited 9.0 s for")
        .contains("\n2. RETRIES\n   Tasks repeated 4 pushes")
        .containsPattern("(?m)^disks:1 +3.0 MiB +0 B +9s +0ms +0ms +9s$");
    assertThat(JsonMapper.shared().readTree(json.out()).at("/causes/0/jobMs").asInt())
        .isEqualTo(4_500);
    assertThat(none.exitCode()).isEqualTo(4);
  }

  @Test
  void listsFinishedApplicationsPageByPage() throws InterruptedException {
    endExplained("finished-1");
    endExplained("finished-2");
    String[] page = {"admin", "finished-applications", "-n", "1", "--contains", "finished-"};

    CliRun first = cluster.run(page);
    String[] after = Arrays.copyOf(page, page.length + 2);
    after[page.length] = "--before";
    after[page.length + 1] = first.out().replaceAll("(?s).*--before (\\d+).*", "$1");
    CliRun second = cluster.run(after);

    assertThat(first.err()).isEmpty();
    assertThat(first.out())
        .containsPattern("(?m) finished-2 +ann +ENDED +\\S+ +0 +3.0 MiB +0 B +0$")
        .doesNotContain("finished-1");
    assertThat(second.out()).contains(" finished-1 ").doesNotContain("finished-2", "--before");
    after[page.length + 1] = "x";
    assertThat(cluster.run(after).err())
        .contains("before: expected an integer from 1")
        .hasLineCount(1);
  }

  @Test
  void showsShufflesTotalsAndBalance() {
    CliRun push =
        cluster.run(
            "bench",
            "push",
            "--application",
            "shown",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "3");
    assertThat(push.exitCode()).isZero();

    CliRun shuffles = cluster.run("admin", "shuffles", "shown");
    CliRun shuffle = cluster.run("admin", "shuffles", "shown", "0");
    CliRun totals = cluster.run("admin", "cluster");
    CliRun balance = cluster.run("admin", "balance");
    CliRun application = cluster.run("admin", "applications", "shown");

    assertThat(shuffles.out().lines()).hasSize(2);
    assertThat(shuffles.out()).startsWith("shuffle ").contains("skew");
    assertThat(shuffle.err()).isEmpty();
    assertThat(shuffle.out()).contains("written", cluster.serverName(0));
    CliRun quotas = cluster.run("admin", "quotas", "-o", "wide");
    assertThat(quotas.err()).isEmpty();
    assertThat(quotas.out()).startsWith("user ").contains("unlimited");
    assertThat(totals.out()).contains("2 ACTIVE").contains("shuffles assigned");
    assertThat(balance.out()).contains("maximum / mean of partitions: ");
    CliRun scale = cluster.run("admin", "scale-advice");
    assertThat(scale.err()).isEmpty();
    assertThat(scale.out()).contains("memory", "disk").contains("active servers: 2, needed: ");
    assertThat(application.out()).contains("shown", "lease");
    assertThat(cluster.run("admin", "shuffles", "none").exitCode()).isEqualTo(4);
    assertThat(cluster.run("admin", "delete-application", "shown").err()).isEmpty();
  }

  @Test
  void showsConfigurationsInUse() {
    String server = cluster.serverName(0);

    CliRun set = cluster.run("admin", "configuration");
    CliRun all = cluster.run("admin", "configuration", "--defaults");
    CliRun ofServer = cluster.run("admin", "configuration", "--server", server);

    assertThat(set.err()).isEmpty();
    assertThat(set.out())
        .startsWith("# " + cluster.quorum() + "\n")
        .containsPattern("(?m)^rss.coordinator.host +127.0.0.1 +configuration$")
        .doesNotContain("rss.coordinator.app.expired");
    assertThat(all.out()).containsPattern("(?m)^rss.coordinator.app.expired +1m +default$");
    assertThat(ofServer.out())
        .startsWith("# " + server + "\n")
        .containsPattern("(?m)^rss.server.buffer.capacity +16MiB +configuration$");
  }

  @Test
  void printsThreads() {
    CliRun coordinators = cluster.run("admin", "threads");
    CliRun all = cluster.run("admin", "threads", "--all-servers");
    CliRun json = cluster.run("admin", "threads", "-o", "json");
    CliRun none = cluster.run("admin", "threads", "--server", "none:1");

    assertThat(coordinators.err()).isEmpty();
    assertThat(coordinators.out())
        .startsWith("# " + cluster.quorum() + ": ")
        .containsPattern("(?m)^\"coordinator-state\" #\\d+ [A-Z_]+ cpu=\\S+")
        .contains("\n    at io.sluice.coordinator.state.StateOwner.");
    assertThat(all.out().lines().filter(line -> line.startsWith("# 127.0.0.1:"))).hasSize(2);
    assertThat(JsonMapper.shared().readTree(json.out()).get("threads")).isNotEmpty();
    assertThat(none.exitCode()).isEqualTo(4);
  }

  @Test
  void followsEvents() {
    CliRun run =
        cluster.run(
            "admin", "events", "--follow", "--looks", "2", "--interval", "10ms", "-o", "json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .isNotEmpty()
        .allMatch(line -> JsonMapper.shared().readTree(line).get("number").asLong() > 0);
    assertThat(run.out().lines().filter(line -> line.contains("\"number\":1,"))).hasSize(1);
  }

  @Test
  void topPrintsUpdatesOneAfterAnotherWithoutATerminal() {
    CliRun once = cluster.run("admin", "top", "--once");
    CliRun twice = cluster.run("admin", "top", "--count", "2", "--interval", "10ms", "-n", "1");

    assertThat(once.err()).isEmpty();
    assertThat(once.out()).contains("2 ACTIVE", "push/s", "growth/s").doesNotContain("\u001b");
    assertThat(twice.out().split("servers: ", -1)).hasSize(3);
    assertThat(twice.out()).contains("and 1 more");
  }

  @Test
  void usesTheNextCoordinatorIfOneDoesNotAnswer() throws IOException {
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String silent = "127.0.0.1:" + unused.getLocalPort();
      CliRun run =
          CliRun.of(
              "admin",
              "servers",
              "--timeout",
              "300ms",
              "--coordinator",
              silent + "," + cluster.quorum());
      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();

      CliRun alone = CliRun.of("admin", "servers", "--timeout", "300ms", "--coordinator", silent);
      assertThat(alone.exitCode()).isEqualTo(1);
      assertThat(alone.err().lines()).hasSize(1);
      assertThat(alone.err()).startsWith("sluice admin servers: coordinator " + silent + " ");
    }
  }

  @Test
  void failsIfTheAddressIsThatOfAServer() {
    String server = cluster.serverName(0);

    CliRun wrongWay = CliRun.of("admin", "servers", "--coordinator", server);

    assertThat(wrongWay.exitCode()).isEqualTo(1);
    assertThat(wrongWay.err())
        .isEqualTo(
            "sluice admin servers: coordinator "
                + server
                + " does not implement the call; check that the address is that of a "
                + "coordinator\n");
  }

  @Test
  void showsCountersOfOneServerOrOfAll() {
    String one = cluster.serverName(0);
    CliRun single = CliRun.of("admin", "status", "--server", one);
    assertThat(single.exitCode()).isZero();
    assertThat(single.out()).contains(one).contains("memory capacity").contains("cpu seconds");

    CliRun all = cluster.run("admin", "status", "--json");
    assertThat(all.exitCode()).isZero();
    assertThat(all.out()).startsWith("[").contains("\"pushedBlocks\"");
    assertThat(all.out().split("\"processCpuNanos\"", -1)).hasSize(3);
  }
}
