package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.metrics.http.HttpTimeouts;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.ClientSetting;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole coordinator over real sockets. */
class CoordinatorProcessTest {
  private static final long WAIT_SECONDS = 60;

  @TempDir Path directory;
  private final Deque<AutoCloseable> closers = new ArrayDeque<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable closer : closers) {
      closer.close();
    }
  }

  private CoordinatorProcess start(String... keysAndValues) throws IOException {
    return start(HttpTimeouts.DEFAULT, keysAndValues);
  }

  private CoordinatorProcess start(HttpTimeouts timeouts, String... keysAndValues)
      throws IOException {
    Map<String, String> values =
        new HashMap<>(
            Map.of(
                "rss.coordinator.host",
                "127.0.0.1",
                "rss.rpc.server.port",
                "0",
                "rss.jetty.http.port",
                "0"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    CoordinatorProcess process =
        CoordinatorProcess.start(
            new Inputs(
                ConfigSet.of(CoordinatorConfig.SCHEMA, values),
                () -> ConfigSet.of(CoordinatorConfig.SCHEMA, values),
                Clock.systemUTC(),
                System::nanoTime,
                RandomGenerator.of("L64X128MixRandom"),
                timeouts));
    closers.push(process);
    return process;
  }

  private CoordinatorBlockingStub client(CoordinatorProcess process) {
    return client(process.rpcPort());
  }

  private CoordinatorBlockingStub client(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    closers.push(() -> channel.shutdownNow().awaitTermination(WAIT_SECONDS, TimeUnit.SECONDS));
    return CoordinatorGrpc.newBlockingStub(channel)
        .withDeadlineAfter(Duration.ofSeconds(3 * WAIT_SECONDS));
  }

  private static HeartbeatRequest beat(String host, String... applications) {
    return HeartbeatRequest.newBuilder()
        .setServer(Servers.id(host, 1))
        .setState(ServerState.ACTIVE)
        .setLoad(Servers.idleLoad())
        .addAllApplications(List.of(applications))
        .build();
  }

  private static RegisterApplicationReply register(
      CoordinatorBlockingStub client, String application) {
    return client.registerApplication(
        RegisterApplicationRequest.newBuilder()
            .setApplication(application)
            .setUser("ann")
            .setClientVersion("1")
            .build());
  }

  private static RegisterShuffleReply shuffle(
      CoordinatorBlockingStub client, String application, int shuffle) {
    return client.registerShuffle(
        RegisterShuffleRequest.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle))
            .setPartitionCount(200)
            .setReplicas(1)
            .build());
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("condition not met in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static HttpResponse<String> get(CoordinatorProcess process, String path)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + process.httpPort() + path))
                .timeout(Duration.ofSeconds(WAIT_SECONDS))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void servesTheCurrentClientSettingsToDrivers() throws IOException {
    Path file = directory.resolve("clients");
    Files.writeString(file, "rss.local.output always\nforce spark.rss.client.type GRPC\n");
    CoordinatorBlockingStub client =
        client(
            start(
                "rss.coordinator.dynamicClientConf.enabled", "true",
                "rss.coordinator.dynamicClientConf.path", file.toString(),
                "rss.coordinator.files.check.interval", "10ms"));
    assertThat(keysServed(client)).containsExactly("rss.local.output", "spark.rss.client.type");

    Files.writeString(file, "rss.local.output never\n");
    await(() -> keysServed(client).size() == 1);

    Files.writeString(file, "rss.security.tls.enabled false\n");
    Files.writeString(file, "spark.rss.client.type GRPC\n");
    await(() -> keysServed(client).equals(List.of("spark.rss.client.type")));
  }

  private static List<String> keysServed(CoordinatorBlockingStub client) {
    return client
        .clientConfiguration(ClientConfigurationRequest.getDefaultInstance())
        .getSettingsList()
        .stream()
        .map(ClientSetting::getKey)
        .toList();
  }

  @Test
  void doesNotStartWithInvalidRuleFiles() throws IOException {
    Path file = directory.resolve("rules");
    Files.writeString(file, "permit all users\n");
    assertThatThrownBy(() -> start("rss.coordinator.access.candidates.path", file.toString()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            file
                + ": line 1 \"permit all users\": expected \"user\" or \"group\" as second"
                + " word");
    assertThatThrownBy(
            () ->
                start(
                    "rss.coordinator.dynamicClientConf.enabled",
                    "true",
                    "rss.coordinator.dynamicClientConf.path",
                    directory + "/none"))
        .hasMessage(directory + "/none: no such file");
  }

  @Test
  void countsDenialsByCause() throws Exception {
    Path file = directory.resolve("rules");
    Files.writeString(file, "allow user bob\n");
    CoordinatorProcess process = start("rss.coordinator.access.candidates.path", file.toString());
    assertThat(register(client(process), "app-1").getStatus()).isEqualTo(Status.DENIED);
    assertThat(get(process, "/metrics").body())
        .contains("sluice_coordinator_denied_total{what=\"application\",cause=\"ACCESS\",} 1.0");
  }

  @Test
  void servesAnApplicationFromRegistrationToUnregistration() throws IOException {
    CoordinatorBlockingStub client = client(start());
    assertThat(register(client, "app").getAssignableServers()).isZero();
    assertThat(shuffle(client, "app", 0).getStatus()).isEqualTo(Status.NO_SERVERS);

    assertThat(client.heartbeat(beat("a")).getStatus()).isEqualTo(Status.OK);
    assertThat(client.heartbeat(beat("b")).getHeartbeatIntervalMs()).isEqualTo(5000);
    assertThat(register(client, "app").getAssignableServers()).isEqualTo(2);
    RegisterShuffleReply assignment = shuffle(client, "app", 0);
    assertThat(assignment.getStatus()).isEqualTo(Status.OK);
    assertThat(assignment.getServersList()).hasSize(2);
    assertThat(client.listServers(ListServersRequest.getDefaultInstance()).getServersList())
        .hasSize(2);
    assertThat(
            client
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplications(0)
                .getShuffles())
        .isEqualTo(1);
    assertThat(
            client
                .renewLease(RenewLeaseRequest.newBuilder().setApplication("app").build())
                .getStatus())
        .isEqualTo(Status.OK);
    assertThat(client.heartbeat(beat("a", "app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.LIVE);

    assertThat(
            client
                .unregisterApplication(
                    UnregisterApplicationRequest.newBuilder().setApplication("app").build())
                .getStatus())
        .isEqualTo(Status.OK);
    assertThat(client.heartbeat(beat("a", "app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.ENDED);
    assertThat(
            client
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplicationsList())
        .isEmpty();
  }

  @Test
  void rebuildsTheStateAfterARestart() throws IOException {
    CoordinatorProcess first = start();
    CoordinatorBlockingStub client = client(first);
    client.heartbeat(beat("a"));
    register(client, "app");
    int port = first.rpcPort();
    first.close();
    assertThatThrownBy(() -> register(client, "app")).isInstanceOf(StatusRuntimeException.class);

    start("rss.rpc.server.port", Integer.toString(port));
    CoordinatorBlockingStub again = client(port);
    assertThat(
            again
                .renewLease(RenewLeaseRequest.newBuilder().setApplication("app").build())
                .getStatus())
        .isEqualTo(Status.UNKNOWN_APPLICATION);
    assertThat(again.heartbeat(beat("a", "app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.UNKNOWN);
    assertThat(register(again, "app").getStatus()).isEqualTo(Status.OK);
    assertThat(shuffle(again, "app", 0).getStatus()).isEqualTo(Status.OK);
    assertThat(again.heartbeat(beat("a", "app")).getLeases(0).getState())
        .isEqualTo(ApplicationLease.State.LIVE);
  }

  @Test
  void detectsALostServerAndAnExpiredApplication() throws IOException {
    CoordinatorBlockingStub client =
        client(
            start(
                "rss.coordinator.server.heartbeat.timeout", "150ms",
                "rss.coordinator.server.heartbeat.interval", "50ms",
                "rss.coordinator.app.expired", "150ms"));
    client.heartbeat(beat("a"));
    register(client, "app");
    await(
        () ->
            client.listServers(ListServersRequest.getDefaultInstance()).getServers(0).getState()
                == ServerState.SERVER_LOST);
    await(
        () ->
            client
                    .listApplications(ListApplicationsRequest.getDefaultInstance())
                    .getApplicationsCount()
                == 0);
    // On a busy machine, the lease may expire again between two calls.
    await(
        () -> {
          register(client, "app");
          return shuffle(client, "app", 0).getMessage().endsWith("1 servers known: 1 lost");
        });
    await(
        () -> {
          client.heartbeat(beat("a"));
          register(client, "app");
          return shuffle(client, "app", 0).getStatus() == Status.OK;
        });
  }

  @Test
  void rereadsTheExcludeFile() throws IOException {
    Path file = directory.resolve("exclude");
    Files.writeString(file, "a:1\n");
    CoordinatorBlockingStub client =
        client(
            start(
                "rss.coordinator.exclude.nodes.file.path",
                file.toString(),
                "rss.coordinator.files.check.interval",
                "20ms"));
    client.heartbeat(beat("a"));
    assertThat(register(client, "app").getAssignableServers()).isZero();
    Files.writeString(file, "b:1\n");
    await(() -> register(client, "app").getAssignableServers() == 1);
    Files.writeString(file, "a-1\n");
    await(() -> register(client, "app").getAssignableServers() == 0);
    Files.delete(file);
    await(() -> register(client, "app").getAssignableServers() == 1);
  }

  @Test
  void registersInParallelWithoutLosingAny() throws Exception {
    CoordinatorProcess process = start();
    CoordinatorBlockingStub client = client(process);
    for (int i = 0; i < 10; i++) {
      client.heartbeat(beat("h" + i));
    }
    int threads = 8;
    int perThread = 50;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    closers.push(executor::shutdownNow);
    List<CompletableFuture<Integer>> done = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      CoordinatorBlockingStub coordinator = client(process);
      done.add(
          CompletableFuture.supplyAsync(
              () -> {
                int partitions = 0;
                for (int i = 0; i < perThread; i++) {
                  String application = "app-" + number + "-" + i;
                  register(coordinator, application);
                  RegisterShuffleReply reply = shuffle(coordinator, application, 0);
                  partitions += reply.getRanges(reply.getRangesCount() - 1).getLast() + 1;
                }
                return partitions;
              },
              executor));
    }
    for (CompletableFuture<Integer> one : done) {
      assertThat(one.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(perThread * 200);
    }
    assertThat(
            client
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplicationsList())
        .hasSize(threads * perThread);
    int assigned =
        client.listServers(ListServersRequest.getDefaultInstance()).getServersList().stream()
            .mapToInt(server -> server.getAssignedSinceHeartbeat())
            .sum();
    assertThat(assigned).isEqualTo(threads * perThread * 200);
  }

  @Test
  void answersABadRequestWithAReply() throws IOException {
    CoordinatorBlockingStub client = client(start());
    assertThat(register(client, "no spaces").getStatus()).isEqualTo(Status.BAD_REQUEST);
    HeartbeatReply reply = client.heartbeat(HeartbeatRequest.getDefaultInstance());
    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).startsWith("server name: expected");
  }

  @Test
  void refusesAMessageThatIsTooLong() throws IOException {
    CoordinatorProcess process = start("rss.rpc.message.max.size", "64k");
    CoordinatorBlockingStub client = client(process);
    assertThatThrownBy(() -> register(client, "x".repeat(2_000_000)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertThat(e.getStatus().getCode())
                    .isEqualTo(io.grpc.Status.Code.RESOURCE_EXHAUSTED));
    assertThat(register(client, "app").getStatus()).isEqualTo(Status.OK);
  }

  @Test
  void keepsServingAfterRandomBytesOnBothPorts() throws Exception {
    CoordinatorProcess process = start();
    SplittableRandom random = new SplittableRandom(99);
    for (int round = 0; round < 20; round++) {
      for (int port : new int[] {process.rpcPort(), process.httpPort()}) {
        byte[] bytes = new byte[1 + random.nextInt(4000)];
        random.nextBytes(bytes);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
          socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
          socket.getOutputStream().write(bytes);
          socket.shutdownOutput();
          InputStream in = socket.getInputStream();
          in.readAllBytes();
        } catch (IOException expected) {
          // The port may also close the connection during the write.
          assertThat(expected).hasMessageNotContaining("timed out");
        }
      }
    }
    assertThat(register(client(process), "app").getStatus()).isEqualTo(Status.OK);
    assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void servesMetricsAndHealth() throws Exception {
    CoordinatorProcess process = start();
    CoordinatorBlockingStub client = client(process);
    client.heartbeat(beat("a"));
    register(client, "app");
    shuffle(client, "app", 0);
    assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
    assertThat(get(process, "/readyz").statusCode()).isEqualTo(200);
    assertThat(get(process, "/nothing").statusCode()).isEqualTo(404);
    HttpResponse<String> metrics = get(process, "/metrics");
    assertThat(metrics.statusCode()).isEqualTo(200);
    assertThat(metrics.body())
        .contains(
            "sluice_coordinator_servers{state=\"ACTIVE\",} 1.0",
            "sluice_coordinator_servers{state=\"SERVER_LOST\",} 0.0",
            "sluice_coordinator_applications{state=\"LIVE\",} 1.0",
            "sluice_coordinator_requests_total{call=\"RegisterShuffle\",status=\"OK\",} 1.0",
            "sluice_coordinator_partitions_assigned_total 200.0",
            "sluice_coordinator_queue_depth 0.0",
            "jvm_memory_bytes_used");
  }

  @Test
  void answersProbesDespiteUnfinishedRequests() throws Exception {
    CoordinatorProcess process = start();
    for (int i = 0; i < 4; i++) {
      slowPeer(process);
    }
    assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void closesConnectionsWithUnfinishedRequests() throws Exception {
    assertThat(HttpTimeouts.DEFAULT.requestMs()).isBetween(1, 5_000);
    int hour = 3_600_000;
    CoordinatorProcess process = start(new HttpTimeouts(50, hour, hour, hour, hour));
    List<Socket> slow = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      slow.add(slowPeer(process));
    }
    for (Socket socket : slow) {
      assertThat(ended(socket)).isTrue();
    }
  }

  /** Connects, and sends a part of a request. */
  private Socket slowPeer(CoordinatorProcess process) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), process.httpPort());
    closers.push(socket);
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
    socket
        .getOutputStream()
        .write("GET /healthz HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static boolean ended(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void isHealthyButNotReadyDuringTheSilentPeriod() throws Exception {
    CoordinatorProcess process =
        start(
            "rss.coordinator.startup-silent-period.enabled",
            "true",
            "rss.coordinator.startup-silent-period.duration",
            "1h");
    assertThat(get(process, "/healthz").statusCode()).isEqualTo(200);
    assertThat(get(process, "/readyz").statusCode()).isEqualTo(503);
    CoordinatorBlockingStub client = client(process);
    client.heartbeat(beat("a"));
    register(client, "app");
    assertThat(shuffle(client, "app", 0).getStatus()).isEqualTo(Status.BUSY);
  }

  @Test
  void failsWithOneLineIfAPortIsInUse() throws IOException {
    CoordinatorProcess first = start();
    String rpcPort = Integer.toString(first.rpcPort());
    String httpPort = Integer.toString(first.httpPort());
    assertThatThrownBy(() -> start("rss.rpc.server.port", rpcPort))
        .isInstanceOf(IOException.class)
        .hasMessageMatching(
            "coordinator cannot listen on 127\\.0\\.0\\.1:"
                + rpcPort
                + " \\(rss\\.rpc\\.server\\.port\\): .*in use.*");
    assertThatThrownBy(() -> start("rss.jetty.http.port", httpPort))
        .isInstanceOf(IOException.class)
        .hasMessageMatching(
            "coordinator cannot listen on 127\\.0\\.0\\.1:"
                + httpPort
                + " \\(rss\\.jetty\\.http\\.port\\): .*in use.*");
  }

  @Test
  void stopsEveryThreadAndFreesItsPortsWhenClosed() throws IOException {
    CoordinatorProcess process = start();
    client(process).heartbeat(beat("a"));
    process.close();
    process.close();
    await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("coordinator-")));
    start(
        "rss.rpc.server.port",
        Integer.toString(process.rpcPort()),
        "rss.jetty.http.port",
        Integer.toString(process.httpPort()));
  }
}
