package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.ServerTime;
import io.sluice.proto.Status;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests commands for a running cluster, with a coordinator and two servers in this JVM. */
@Timeout(120)
class ClusterCommandsTest {
  @TempDir static Path dir;
  private static CoordinatorProcess coordinator;
  private static final List<ShuffleServerProcess> servers = new ArrayList<>();
  private static final Map<String, String> settings = new ConcurrentHashMap<>();
  private static final Map<String, String> serverSettings = new ConcurrentHashMap<>();
  private static String quorum;

  @BeforeAll
  static void start() throws IOException {
    settings.clear();
    serverSettings.clear();
    servers.clear();
    settings.putAll(
        Map.of(
            "rss.coordinator.host", "127.0.0.1",
            "rss.rpc.server.port", "0",
            "rss.jetty.http.port", "0"));
    Supplier<ConfigSet> source = () -> ConfigSet.of(CoordinatorConfig.SCHEMA, settings);
    coordinator = CoordinatorProcess.start(source.get(), source);
    quorum = "127.0.0.1:" + coordinator.rpcPort();
    for (int i = 0; i < 2; i++) {
      String disk = dir.resolve("disk" + i).toString();
      Supplier<ConfigSet> serverSource = () -> ConfigSet.of(ServerConfig.SCHEMA, server(disk));
      servers.add(ShuffleServerProcess.start(serverSource.get(), serverSource));
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

  private static Map<String, String> server(String disk) {
    Map<String, String> all = new HashMap<>(serverSettings);
    all.putAll(
        Map.of(
            "rss.coordinator.quorum", quorum,
            "rss.server.host", "127.0.0.1",
            "rss.rpc.server.port", "0",
            "rss.server.netty.port", "0",
            "rss.jetty.http.port", "0",
            "rss.storage.basePath", disk,
            "rss.server.buffer.capacity", "16m"));
    return all;
  }

  @AfterAll
  static void stop() {
    servers.forEach(ShuffleServerProcess::close);
    if (coordinator != null) {
      coordinator.close();
    }
  }

  @Test
  void decommissionsAServerWhenItsDataIsDeleted() throws Exception {
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
          .startsWith(name + ": gets no new assignments, stores 0 B\n")
          .endsWith(name + ": exited\n");
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
    assertThat(cancelled.out()).isEqualTo(name + ": decommission cancelled\n");
  }

  @Test
  void drainsAServerAndCancelsTheDrain() {
    String name = "127.0.0.1:" + servers.get(1).rpcPort();

    CliRun drained =
        CliRun.of("admin", "drain", name, "gone:1", "--coordinator", quorum, "--ignore-missing");
    assertThat(drained.err()).isEmpty();
    assertThat(drained.out())
        .startsWith(name + ": gets no new assignments, stores ")
        .endsWith("B\ngone:1: not known\n");
    CliRun waited =
        CliRun.of("admin", "drain", name, "--coordinator", quorum, "--wait", "--poll", "100ms");
    assertThat(waited.exitCode()).isZero();
    assertThat(waited.out().lines()).last().asString().startsWith(name + ": stores ");

    CliRun cancelled = CliRun.of("admin", "drain", name, "--coordinator", quorum, "--cancel");
    assertThat(cancelled.exitCode()).isZero();
    assertThat(cancelled.out()).isEqualTo(name + ": drain cancelled\n");
    awaitActive(2);
  }

  @Test
  void rollingRestartPrintsItsPlanAndCancelsTheDrainAfterAFailure() {
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
        .isEqualTo("sluice admin rolling-restart: restart command failed with exit code 7\n");
    assertThat(failed.out())
        .contains("[1/1] " + name + ": draining, stores ")
        .endsWith("[1/1] " + name + ": drain cancelled\n");
    awaitActive(2);
  }

  @Test
  void healthReportsTheStateOfAProcess() throws IOException {
    CliRun healthy = CliRun.of("health", "--port", Integer.toString(servers.get(0).httpPort()));
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
  void decommissionFailsForAnUnknownServer() {
    CliRun run = CliRun.of("admin", "decommission", "unknown:1", "--coordinator", quorum);

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err()).isEqualTo("sluice admin decommission: server is not known: unknown:1\n");
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
            "deleted-app",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "2");
    assertThat(push.exitCode()).isZero();

    CliRun run = CliRun.of("admin", "delete-application", "deleted-app", "--coordinator", quorum);

    assertThat(run.out()).isEqualTo(quorum + ": deleted-app: deleted\n");
    assertThat(run.exitCode()).isZero();
    assertThat(CliRun.of("admin", "applications", "--coordinator", quorum).out())
        .doesNotContain("deleted-app");
    assertThat(CliRun.of("admin", "applications", "--all", "--coordinator", quorum).out())
        .contains("deleted-app");

    CliRun again = CliRun.of("admin", "delete-application", "deleted-app", "--coordinator", quorum);

    assertThat(again.exitCode()).isEqualTo(4);
    assertThat(again.err())
        .isEqualTo(
            "sluice admin delete-application: coordinator "
                + quorum
                + ": unknown or ended application: \"deleted-app\"\n");
  }

  @Test
  void listsServersAsTableAndJson() {
    CliRun table = CliRun.of("admin", "servers", "--coordinator", quorum);
    assertThat(table.exitCode()).isZero();
    assertThat(table.out().lines()).hasSize(3);
    assertThat(table.out()).startsWith("server ").contains("16.0 MiB");

    CliRun wide = CliRun.of("admin", "servers", "--coordinator", quorum, "-o", "wide");
    assertThat(wide.out()).startsWith("server ").contains("epoch", servers.get(0).epoch() + "");

    CliRun json = CliRun.of("admin", "servers", "--coordinator", quorum, "--output", "json");
    assertThat(json.exitCode()).isZero();
    JsonNode server = JsonMapper.shared().readTree(json.out()).at("/servers/0");
    assertThat(server.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(server.get("memory").get("capacityBytes").asLong()).isEqualTo(16 << 20);

    CliRun wrong = CliRun.of("admin", "servers", "--coordinator", quorum, "-o", "xml");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("expected one of table, wide, json, found \"xml\"");
  }

  @Test
  void showsOneServer() {
    String name = "127.0.0.1:" + servers.get(0).rpcPort();

    CliRun one = CliRun.of("admin", "servers", name, "--coordinator", quorum);
    CliRun none = CliRun.of("admin", "servers", "unknown:1", "--coordinator", quorum);

    assertThat(one.exitCode()).isZero();
    assertThat(one.out()).contains(name, "HEALTHY", dir.resolve("disk0").toString());
    assertThat(none.exitCode()).isEqualTo(4);
    assertThat(none.err()).endsWith("unknown server: \"unknown:1\"\n");
  }

  /** Ends an application whose two tasks waited 9 s for disks. */
  private static void endExplained(String application) throws InterruptedException {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort()).usePlaintext().build();
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
                                  .setDiskWaitMs(9_000)))
                  .build());
    } finally {
      channel.shutdownNow();
      assertThat(channel.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void explainsAnApplication() throws InterruptedException {
    endExplained("explained");

    CliRun text = CliRun.of("admin", "explain", "explained", "--coordinator", quorum);
    CliRun json = CliRun.of("admin", "explain", "explained", "--coordinator", quorum, "-o", "json");
    CliRun none = CliRun.of("admin", "explain", "none", "--coordinator", quorum);

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
    String[] page = {
      "admin",
      "finished-applications",
      "--coordinator",
      quorum,
      "-n",
      "1",
      "--contains",
      "finished-"
    };

    CliRun first = CliRun.of(page);
    String[] after = Arrays.copyOf(page, page.length + 2);
    after[page.length] = "--before";
    after[page.length + 1] = first.out().replaceAll("(?s).*--before (\\d+).*", "$1");
    CliRun second = CliRun.of(after);

    assertThat(first.err()).isEmpty();
    assertThat(first.out())
        .containsPattern("(?m) finished-2 +ann +ENDED +\\S+ +0 +3.0 MiB +0 B +0$")
        .doesNotContain("finished-1");
    assertThat(second.out()).contains(" finished-1 ").doesNotContain("finished-2", "--before");
    after[page.length + 1] = "x";
    assertThat(CliRun.of(after).err())
        .contains("before: expected an integer from 1")
        .hasLineCount(1);
  }

  @Test
  void showsShufflesTotalsAndBalance() {
    CliRun push =
        CliRun.of(
            "bench",
            "push",
            "--coordinator",
            quorum,
            "--application",
            "shown",
            "--keep",
            "--total",
            "1m",
            "--partitions",
            "3");
    assertThat(push.exitCode()).isZero();

    CliRun shuffles = CliRun.of("admin", "shuffles", "shown", "--coordinator", quorum);
    CliRun shuffle = CliRun.of("admin", "shuffles", "shown", "0", "--coordinator", quorum);
    CliRun cluster = CliRun.of("admin", "cluster", "--coordinator", quorum);
    CliRun balance = CliRun.of("admin", "balance", "--coordinator", quorum);
    CliRun application = CliRun.of("admin", "applications", "shown", "--coordinator", quorum);

    assertThat(shuffles.out().lines()).hasSize(2);
    assertThat(shuffles.out()).startsWith("shuffle ").contains("skew");
    assertThat(shuffle.err()).isEmpty();
    assertThat(shuffle.out()).contains("written", "127.0.0.1:" + servers.get(0).rpcPort());
    CliRun quotas = CliRun.of("admin", "quotas", "--coordinator", quorum, "-o", "wide");
    assertThat(quotas.err()).isEmpty();
    assertThat(quotas.out()).startsWith("user ").contains("unlimited");
    assertThat(cluster.out()).contains("2 ACTIVE").contains("shuffles assigned");
    assertThat(balance.out()).contains("maximum / mean of partitions: ");
    CliRun scale = CliRun.of("admin", "scale-advice", "--coordinator", quorum);
    assertThat(scale.err()).isEmpty();
    assertThat(scale.out()).contains("memory", "disk").contains("active servers: 2, needed: ");
    assertThat(application.out()).contains("shown", "lease");
    assertThat(CliRun.of("admin", "shuffles", "none", "--coordinator", quorum).exitCode())
        .isEqualTo(4);
    assertThat(CliRun.of("admin", "delete-application", "shown", "--coordinator", quorum).err())
        .isEmpty();
  }

  @Test
  void excludesAndIncludes() {
    String name = "127.0.0.1:" + servers.get(1).rpcPort();

    CliRun excluded = CliRun.of("admin", "exclude", name, "--coordinator", quorum);
    CliRun list = CliRun.of("admin", "exclusions", "--coordinator", quorum);
    CliRun filtered = CliRun.of("admin", "servers", "--state", "excluded", "--coordinator", quorum);
    CliRun included = CliRun.of("admin", "include", name, "--coordinator", quorum);

    assertThat(excluded.out())
        .isEqualTo(quorum + ": " + name + ": excluded until this coordinator restarts\n");
    assertThat(list.out()).isEqualTo(quorum + " (until its restart):\n  " + name + "\n");
    assertThat(filtered.out().lines()).hasSize(2);
    assertThat(included.out())
        .isEqualTo(quorum + ": " + name + ": included; gets assignments again\n");
    assertThat(CliRun.of("admin", "exclusions", "--coordinator", quorum).out())
        .isEqualTo(quorum + " (until its restart): none\n");
    CliRun events =
        CliRun.of("admin", "events", "--server", name, "--coordinator", quorum, "-n", "2");
    assertThat(events.out().lines().toList().get(0)).contains("server excluded server=" + name);
    assertThat(events.out().lines().toList().get(1)).contains("server included again");
    assertThat(CliRun.of("admin", "exclude", "unknown:1", "--coordinator", quorum).exitCode())
        .isEqualTo(4);
  }

  @Test
  void refusesToRevokeWhereNoTokensAreIssued() {
    CliRun user = CliRun.of("admin", "revoke", "user", "eve", "--coordinator", quorum);
    CliRun application =
        CliRun.of("admin", "revoke", "application", "eve.app", "--coordinator", quorum);

    assertThat(user.exitCode()).isEqualTo(1);
    assertThat(user.err()).contains("issues no tokens").hasLineCount(1);
    assertThat(application.err()).contains("issues no tokens").hasLineCount(1);
    assertThat(CliRun.of("admin", "revocations", "--coordinator", quorum).out())
        .isEqualTo(quorum + " (until its restart): none\n");
    assertThat(CliRun.of("admin", "revoke", "--coordinator", quorum).exitCode()).isEqualTo(2);
    assertThat(CliRun.of("admin", "revoke").err()).contains("revoke user NAME");
  }

  @Test
  void operationsContinueAtOtherCoordinatorsIfOneDoesNotAnswer() throws IOException {
    String name = "127.0.0.1:" + servers.get(0).rpcPort();
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
              silent + "," + quorum);

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).startsWith(quorum + ": " + name + ": excluded");
      assertThat(run.err()).contains("coordinator " + silent).doesNotContain(quorum + ":");
    }
    assertThat(CliRun.of("admin", "include", name, "--coordinator", quorum).exitCode()).isZero();
  }

  @Test
  void reloadsCoordinatorsAndServers() {
    settings.put("rss.coordinator.app.max", "77");
    settings.put("rss.coordinator.connections.max", "61");
    serverSettings.put("rss.server.tags", "reloaded");

    CliRun coordinators = CliRun.of("admin", "reload", "--coordinator", quorum);
    CliRun all = CliRun.of("admin", "reload", "--all-servers", "--coordinator", quorum);
    CliRun json =
        CliRun.of(
            "admin",
            "reload",
            "--server",
            "127.0.0.1:" + servers.get(0).rpcPort(),
            "--coordinator",
            quorum,
            "-o",
            "json");
    settings.put("rss.coordinator.app.max", "none");
    CliRun broken = CliRun.of("admin", "reload", "--coordinator", quorum);

    assertThat(coordinators.out())
        .isEqualTo(
            quorum
                + ": rss.coordinator.app.max: 10000 -> 77\n"
                + quorum
                + ": rss.coordinator.connections.max: 20000 -> 61 needs a restart\n");
    assertThat(all.err()).isEmpty();
    assertThat(all.out().lines()).hasSize(2).allMatch(line -> line.endsWith("- -> reloaded"));
    assertThat(JsonMapper.shared().readTree(json.out()).get("applied")).isEmpty();
    assertThat(broken.exitCode()).isEqualTo(1);
    assertThat(broken.err().lines()).hasSize(1);
    assertThat(broken.err()).contains("configuration not changed", "rss.coordinator.app.max");
  }

  @Test
  void showsConfigurationsInUse() {
    String server = "127.0.0.1:" + servers.get(0).rpcPort();

    CliRun set = CliRun.of("admin", "configuration", "--coordinator", quorum);
    CliRun all = CliRun.of("admin", "configuration", "--defaults", "--coordinator", quorum);
    CliRun ofServer =
        CliRun.of("admin", "configuration", "--server", server, "--coordinator", quorum);

    assertThat(set.err()).isEmpty();
    assertThat(set.out())
        .startsWith("# " + quorum + "\n")
        .containsPattern("(?m)^rss.coordinator.host +127.0.0.1 +configuration$")
        .doesNotContain("rss.coordinator.app.expired");
    assertThat(all.out()).containsPattern("(?m)^rss.coordinator.app.expired +1m +default$");
    assertThat(ofServer.out())
        .startsWith("# " + server + "\n")
        .containsPattern("(?m)^rss.server.buffer.capacity +16MiB +configuration$");
  }

  @Test
  void printsThreads() {
    CliRun coordinators = CliRun.of("admin", "threads", "--coordinator", quorum);
    CliRun all = CliRun.of("admin", "threads", "--all-servers", "--coordinator", quorum);
    CliRun json = CliRun.of("admin", "threads", "--coordinator", quorum, "-o", "json");
    CliRun none = CliRun.of("admin", "threads", "--server", "none:1", "--coordinator", quorum);

    assertThat(coordinators.err()).isEmpty();
    assertThat(coordinators.out())
        .startsWith("# " + quorum + ": ")
        .containsPattern("(?m)^\"coordinator-state\" #\\d+ [A-Z_]+ cpu=\\S+")
        .contains("\n    at io.sluice.coordinator.state.StateOwner.");
    assertThat(all.out().lines().filter(line -> line.startsWith("# 127.0.0.1:"))).hasSize(2);
    assertThat(JsonMapper.shared().readTree(json.out()).get("threads")).isNotEmpty();
    assertThat(none.exitCode()).isEqualTo(4);
  }

  @Test
  void followsEvents() {
    CliRun run =
        CliRun.of(
            "admin",
            "events",
            "--follow",
            "--looks",
            "2",
            "--interval",
            "10ms",
            "-o",
            "json",
            "--coordinator",
            quorum);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .isNotEmpty()
        .allMatch(line -> JsonMapper.shared().readTree(line).get("number").asLong() > 0);
    assertThat(run.out().lines().filter(line -> line.contains("\"number\":1,"))).hasSize(1);
  }

  @Test
  void topPrintsUpdatesOneAfterAnotherWithoutATerminal() {
    CliRun once = CliRun.of("admin", "top", "--once", "--coordinator", quorum);
    CliRun twice =
        CliRun.of(
            "admin",
            "top",
            "--count",
            "2",
            "--interval",
            "10ms",
            "-n",
            "1",
            "--coordinator",
            quorum);

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
  void failsIfTheAddressIsThatOfAServer() {
    String server = "127.0.0.1:" + servers.get(0).rpcPort();

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
  void fetchesEveryPushedBlock(String transport) {
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
  void keptDataCanBeFetchedLaterByApplication() {
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
