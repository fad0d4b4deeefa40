package io.sluice.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ApplicationLease.State;
import io.sluice.proto.ConfigurationChange;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ReloadConfigurationRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;
import io.sluice.server.cluster.FakeCoordinator;
import io.sluice.server.cluster.LogLines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers in this JVM on loopback ports, with a scripted coordinator. */
@Timeout(120)
class ShuffleServerProcessTest {
  @TempDir Path directory;

  private FakeCoordinator coordinator;
  private final List<ShuffleServerProcess> servers = new ArrayList<>();

  @BeforeEach
  void startCoordinator() throws IOException {
    coordinator = new FakeCoordinator(0);
  }

  @AfterEach
  void stopAll() {
    servers.forEach(ShuffleServerProcess::close);
    coordinator.close();
  }

  private ShuffleServerProcess start(String... more) throws StartException {
    return start(directory, more);
  }

  private ShuffleServerProcess start(Path base, String... more) throws StartException {
    ShuffleServerProcess server =
        ShuffleServerProcess.start(TestServers.config(coordinator.address(), base, map(more)));
    servers.add(server);
    return server;
  }

  private static Map<String, String> map(String... keysAndValues) {
    return switch (keysAndValues.length) {
      case 0 -> Map.of();
      case 2 -> Map.of(keysAndValues[0], keysAndValues[1]);
      case 4 -> Map.of(keysAndValues[0], keysAndValues[1], keysAndValues[2], keysAndValues[3]);
      default -> throw new IllegalArgumentException("pairs of keys and values expected");
    };
  }

  private static <T> T control(
      ShuffleServerProcess server,
      Function<ShuffleServerControlGrpc.ShuffleServerControlBlockingStub, T> call) {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.rpcPort()).usePlaintext().build();
    try {
      return call.apply(
          ShuffleServerControlGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS));
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void appliesReloadableKeysOnAReload() throws Exception {
    Map<String, String> more = new ConcurrentHashMap<>();
    Supplier<ConfigSet> source =
        () -> TestServers.config(coordinator.address(), directory, Map.copyOf(more));
    ShuffleServerProcess server = ShuffleServerProcess.start(source.get(), source);
    servers.add(server);
    more.put("rss.server.tags", "ssd,fast");
    more.put("rss.server.high.watermark.write", "90");
    more.put("rss.server.shuffles.max", "17");

    ReloadConfigurationReply reply =
        control(
            server,
            stub -> stub.reloadConfiguration(ReloadConfigurationRequest.getDefaultInstance()));

    assertThat(reply.getStatus()).as(reply.getMessage()).isEqualTo(Status.OK);
    assertThat(reply.getAppliedList())
        .extracting(ConfigurationChange::getKey)
        .containsExactly("rss.server.tags", "rss.server.high.watermark.write");
    assertThat(reply.getRestartNeededList())
        .extracting(ConfigurationChange::getKey)
        .containsExactly("rss.server.shuffles.max");
    HeartbeatRequest heartbeat = coordinator.next();
    while (heartbeat.getTagsCount() == 0) {
      heartbeat = coordinator.next();
    }
    assertThat(heartbeat.getTagsList()).containsExactly("ssd", "fast");

    more.put("rss.server.tags", "hdd");
    more.put("rss.server.low.watermark.write", "95");
    ReloadConfigurationReply refused =
        control(
            server,
            stub -> stub.reloadConfiguration(ReloadConfigurationRequest.getDefaultInstance()));
    assertThat(refused.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(refused.getMessage()).contains("rss.server.low.watermark.write");
    assertThat(refused.getAppliedList()).isEmpty();
  }

  private static GetStatusReply status(ShuffleServerProcess server) {
    return control(server, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
  }

  private static int http(ShuffleServerProcess server, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + path))
                .build(),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static ServerSocket takenPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
  }

  @Test
  void announcesItselfWithPortsThatAccept() throws Exception {
    ShuffleServerProcess server = start("rss.server.tags", "ssd,rack7");
    HeartbeatRequest heartbeat = coordinator.next();
    assertThat(heartbeat.getServer().getName()).isEqualTo("127.0.0.1:" + server.rpcPort());
    assertThat(heartbeat.getServer().getHost()).isEqualTo("127.0.0.1");
    assertThat(heartbeat.getServer().getRpcPort()).isEqualTo(server.rpcPort()).isPositive();
    assertThat(heartbeat.getServer().getNettyPort()).isEqualTo(server.nettyPort()).isPositive();
    assertThat(heartbeat.getServer().getEpoch()).isEqualTo(server.epoch()).isPositive();
    assertThat(heartbeat.getState()).isEqualTo(ServerState.ACTIVE);
    assertThat(heartbeat.getTagsList()).containsExactly("ssd", "rack7");
    assertThat(heartbeat.getLoad().getMemoryCapacityBytes()).isEqualTo(16 << 20);
    assertThat(heartbeat.getLoad().getDisksList())
        .singleElement()
        .satisfies(
            disk -> {
              assertThat(disk.getPath()).isEqualTo(directory.toString());
              assertThat(disk.getHealthy()).isTrue();
              assertThat(disk.getFreeBytes()).isPositive();
            });
    for (int port : new int[] {server.rpcPort(), server.nettyPort(), server.httpPort()}) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
        assertThat(socket.isConnected()).isTrue();
      }
    }
    assertThat(http(server, "/healthz")).isEqualTo(200);
    assertThat(http(server, "/readyz")).isEqualTo(200);
    assertThat(http(server, "/metrics")).isEqualTo(200);
  }

  @Test
  void withGrpcOnlyThereIsNoFramedTransport() throws Exception {
    ShuffleServerProcess server = start("rss.rpc.server.type", "GRPC");
    assertThat(server.nettyPort()).isZero();
    assertThat(coordinator.next().getServer().getNettyPort()).isZero();
    pushAndFetch(RawClient.overGrpc(server.rpcPort(), "app"), server);
  }

  @Test
  void bothTransportsReachTheSameShuffles() throws Exception {
    ShuffleServerProcess server = start();
    coordinator.setState("app", State.LIVE);
    pushAndFetch(new RawClient(server.nettyPort(), "app"), server);
    try (RawClient client = RawClient.overGrpc(server.rpcPort(), "app")) {
      assertThat(client.open(0, 0, server.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.PRESENT);
    }
  }

  private static void pushAndFetch(RawClient connection, ShuffleServerProcess server)
      throws IOException {
    byte[] payload = new byte[3_000_000 / 2];
    new Random(3).nextBytes(payload);
    try (connection) {
      assertThat(connection.hello().getEpoch()).isEqualTo(server.epoch());
      connection.push(0, 0, 1, payload);
      long length = connection.open(0, 0, server.epoch()).getPartitions(0).getLength();
      byte[] bytes = connection.fetch(0, 0, 0, length);
      assertThat(Arrays.copyOfRange(bytes, bytes.length - payload.length, bytes.length))
          .isEqualTo(payload);
    }
  }

  @Test
  void everyStartHasALargerEpochWhenTheClockStepsBack() throws Exception {
    ServerConfig config =
        TestServers.parsed(TestServers.config(coordinator.address(), directory, Map.of()));
    ShuffleServerProcess first =
        ShuffleServerProcess.start(config, at(1_000_000), System::nanoTime);
    servers.add(first);
    assertThat(first.epoch()).isEqualTo(1_000_000);
    first.close();
    ShuffleServerProcess second = ShuffleServerProcess.start(config, at(500), System::nanoTime);
    servers.add(second);
    assertThat(second.epoch()).isEqualTo(1_000_001);
  }

  private static Clock at(long ms) {
    return Clock.fixed(Instant.ofEpochMilli(ms), ZoneOffset.UTC);
  }

  @Test
  void aPortInUseIsReportedInOneLineAndReleasesEverything() throws Exception {
    try (ServerSocket taken = takenPort()) {
      for (String key :
          List.of("rss.rpc.server.port", "rss.server.netty.port", "rss.jetty.http.port")) {
        assertThatThrownBy(() -> start(key, Integer.toString(taken.getLocalPort())))
            .isInstanceOf(StartException.class)
            .hasMessageStartingWith(
                key + ": cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ")
            .hasMessageEndingWith("; set a free port, or 0 for any free port")
            .hasMessageNotContaining("\n");
      }
    }
    start();
  }

  @Test
  void anUnresolvableHostIsReportedInOneLine() {
    assertThatThrownBy(() -> start("rss.server.host", "no-such-host.invalid"))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("rss.server.host: no-such-host.invalid cannot be resolved");
  }

  @Test
  void startsBeforeItsCoordinator() throws Exception {
    try (Socket reserved = new Socket()) {
      // Bound, but not listening: reserves the port for the coordinator that binds it later.
      reserved.setReuseAddress(true);
      reserved.bind(new InetSocketAddress("127.0.0.1", 0));
      HostPort later = new HostPort("127.0.0.1", reserved.getLocalPort());
      ShuffleServerProcess server =
          ShuffleServerProcess.start(TestServers.config(later, directory, Map.of()));
      servers.add(server);
      assertThat(http(server, "/readyz")).isEqualTo(200);
      try (FakeCoordinator late = new FakeCoordinator(later.port())) {
        assertThat(late.next().getServer().getEpoch()).isEqualTo(server.epoch());
      }
    }
  }

  @Test
  void aCleanStopReportsDrainingAndIsIdempotent() throws Exception {
    ShuffleServerProcess server = start("rss.server.heartbeat.interval", "5m");
    assertThat(coordinator.next().getState()).isEqualTo(ServerState.ACTIVE);
    // The coordinator is notified of the stop only after it replied to a heartbeat.
    while (!metrics(server).contains("sluice_server_coordinators_answering 1.0")) {
      Thread.onSpinWait();
    }
    server.close();
    assertThat(coordinator.next().getState()).isEqualTo(ServerState.SERVER_DRAINING);
    server.close();
    assertThatThrownBy(() -> new Socket("127.0.0.1", server.rpcPort()).close())
        .isInstanceOf(IOException.class);
  }

  private static final byte[] PAYLOAD = new byte[100_000];

  @Test
  void servesPushedDataUntilItIsUnregistered() throws Exception {
    ShuffleServerProcess server = start();
    coordinator.setState("app", State.LIVE);
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      assertThat(client.hello().getEpoch()).isEqualTo(server.epoch());
      assertThat(client.push(0, 3, 7, PAYLOAD).getEpoch()).isEqualTo(server.epoch());
      assertThat(client.push(0, 3, 7, PAYLOAD).getMemoryUsedPermille()).isPositive();
      client.push(1, 3, 7, PAYLOAD);
      long length = client.open(0, 3, server.epoch()).getPartitions(0).getLength();
      assertThat(client.fetch(0, 3, 0, length)).hasSize((int) length);
      assertThat(length).isGreaterThan(PAYLOAD.length);

      GetStatusReply stored = status(server);
      assertThat(stored.getState()).isEqualTo(ServerState.ACTIVE);
      assertThat(stored.getServer().getEpoch()).isEqualTo(server.epoch());
      assertThat(stored.getShuffles()).isEqualTo(2);
      assertThat(stored.getApplications()).isEqualTo(1);
      assertThat(stored.getPushedFrames()).isEqualTo(3);
      assertThat(stored.getPushedBlocks()).isEqualTo(2);
      assertThat(stored.getDuplicateBlocks()).isEqualTo(1);
      assertThat(stored.getPushedBytes()).isEqualTo(2 * length);
      assertThat(stored.getFetchedBytes()).isEqualTo(length);
      assertThat(stored.getFetchedFromMemoryBytes()).isEqualTo(length);
      assertThat(stored.getOpenedPartitions()).isEqualTo(1);
      assertThat(stored.getLoad().getConnections()).isEqualTo(1);
      assertThat(stored.getLoad().getMemoryUsedBytes()).isPositive();
      assertThat(stored.getLoad().getStoredBytes()).isEqualTo(2 * length);
      assertThat(stored.getMemoryPeakBytes())
          .isGreaterThanOrEqualTo(stored.getLoad().getMemoryUsedBytes());
      assertThat(stored.getProcessCpuNanos()).isPositive();
      assertThat(stored.getHeapUsedBytes()).isPositive();

      assertThat(
              control(
                      server,
                      stub ->
                          stub.unregisterShuffleApplication(
                              UnregisterShuffleApplicationRequest.newBuilder()
                                  .setApplication("app")
                                  .build()))
                  .getRemoved())
          .isEqualTo(2);
      GetStatusReply freed = status(server);
      assertThat(freed.getShuffles()).isZero();
      assertThat(freed.getLoad().getStoredBytes()).isZero();
      assertThat(freed.getLoad().getMemoryUsedBytes()).isZero();
      assertThat(client.open(0, 3, server.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.SHUFFLE_EXPIRED);
      assertThatThrownBy(() -> client.push(0, 3, 8, PAYLOAD))
          .isInstanceOf(SluiceException.class)
          .extracting(refusal -> ((SluiceException) refusal).code())
          .isEqualTo(StatusCode.EXPIRED);
    }
  }

  @Test
  void removesAnApplicationReportedAsEnded() throws Exception {
    ShuffleServerProcess server = start();
    coordinator.setState("app", State.LIVE);
    coordinator.setState("other", State.LIVE);
    try (RawClient client = new RawClient(server.nettyPort(), "app");
        RawClient other = new RawClient(server.nettyPort(), "other")) {
      client.push(0, 0, 1, PAYLOAD);
      other.push(0, 0, 1, PAYLOAD);
      while (coordinator.next().getApplicationsCount() < 2) {
        Thread.onSpinWait();
      }
      coordinator.setState("app", State.ENDED);
      while (coordinator.next().getApplicationsCount() > 1) {
        Thread.onSpinWait();
      }
      assertThat(status(server).getShuffles()).isEqualTo(1);
      assertThat(client.open(0, 0, server.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.SHUFFLE_EXPIRED);
      assertThat(other.open(0, 0, server.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.PRESENT);
    }
  }

  @Test
  void aCleanStopKeepsEverythingForTheNextStart() throws Exception {
    ShuffleServerProcess first = start();
    long epoch = first.epoch();
    try (RawClient client = new RawClient(first.nettyPort(), "app")) {
      assertThat(client.hello().getWholeSinceEpoch()).isEqualTo(epoch);
      client.push(0, 0, 1, PAYLOAD);
    }
    first.close();
    ShuffleServerProcess second = start();
    try (RawClient client = new RawClient(second.nettyPort(), "app")) {
      assertThat(client.hello().getWholeSinceEpoch()).isEqualTo(epoch);
      PartitionState state = client.open(0, 0, epoch).getPartitions(0);
      assertThat(state.getPresence()).isEqualTo(Presence.PRESENT);
      byte[] bytes = client.fetch(0, 0, 0, state.getLength());
      assertThat(Arrays.copyOfRange(bytes, bytes.length - PAYLOAD.length, bytes.length))
          .isEqualTo(PAYLOAD);
      assertThat(client.open(1, 0, epoch).getPartitions(0).getPresence())
          .isEqualTo(Presence.SHUFFLE_NEVER_WRITTEN);
      assertThat(client.open(1, 0, epoch - 1).getPartitions(0).getPresence())
          .isEqualTo(Presence.DATA_LOST);
    }
    second.close();
    ShuffleServerProcess third = start();
    try (RawClient client = new RawClient(third.nettyPort(), "app")) {
      assertThat(client.hello().getWholeSinceEpoch()).isEqualTo(epoch);
    }
  }

  @Test
  void aRemovedShuffleStaysRemovedAfterARestart() throws Exception {
    ShuffleServerProcess first = start();
    try (RawClient client = new RawClient(first.nettyPort(), "app")) {
      client.push(0, 0, 1, PAYLOAD);
      client.push(1, 0, 1, PAYLOAD);
    }
    control(
        first,
        stub ->
            stub.unregisterShuffles(
                UnregisterShufflesRequest.newBuilder()
                    .setApplication("app")
                    .addShuffles(0)
                    .build()));
    first.close();
    ShuffleServerProcess second = start();
    try (RawClient client = new RawClient(second.nettyPort(), "app")) {
      assertThat(client.open(0, 0, second.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.SHUFFLE_EXPIRED);
      assertThat(client.open(1, 0, second.epoch()).getPartitions(0).getPresence())
          .isEqualTo(Presence.PRESENT);
    }
  }

  @Test
  void aCleanStopClosesIdleConnectionsAndReleasesMemory() throws Exception {
    try (LogLines log = new LogLines(ShuffleServerProcess.class)) {
      ShuffleServerProcess server = start();
      try (RawClient client = new RawClient(server.nettyPort(), "app")) {
        client.push(0, 0, 1, PAYLOAD);
        server.close();
        assertThat(client.isClosedByServer()).isTrue();
      }
      assertThat(log.lines()).last().asString().endsWith("stopped memoryUsedBytes=0");
    }
  }

  @Test
  void refusesADirectoryInUseAndNamesItsServer() throws Exception {
    start();
    assertThatThrownBy(this::start)
        .isInstanceOf(StartException.class)
        .hasMessageContaining(directory + " is in use by another server: pid ")
        .hasMessageContaining("pid " + ProcessHandle.current().pid() + " on host 127.0.0.1")
        .hasMessageNotContaining("\n");
    servers.get(0).close();
    start();
  }

  @Test
  void ignoresADirectoryThatCannotBeWritten() throws Exception {
    Path file = Files.createFile(directory.resolve("a-file"));
    Path good = directory.resolve("good");
    start("rss.storage.basePath", file.resolve("below") + "," + good + ":HDD");
    assertThat(coordinator.next().getLoad().getDisksList())
        .singleElement()
        .satisfies(
            disk -> {
              assertThat(disk.getPath()).isEqualTo(good.toString());
              assertThat(disk.getKind()).isEqualTo("HDD");
            });
  }

  @Test
  void failsInOneLineWithoutAWritableDirectory() throws Exception {
    Path below = Files.createFile(directory.resolve("a-file")).resolve("below");
    assertThatThrownBy(() -> start("rss.storage.basePath", below.toString()))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("no usable directory for run files: " + below)
        .hasMessageNotContaining("\n");
  }

  @Test
  void acceptsMoreThanItsMemoryAndReleasesIt() throws Exception {
    ShuffleServerProcess server = start();
    coordinator.setState("app", State.LIVE);
    byte[] payload = new byte[1 << 20];
    Random random = new Random(5);
    int attempts = 40;
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      List<byte[]> pushed = new ArrayList<>();
      for (int attempt = 0; attempt < attempts; attempt++) {
        random.nextBytes(payload);
        pushed.add(payload.clone());
        client.push(0, 1, attempt, payload);
      }
      long length = client.open(0, 1, server.epoch()).getPartitions(0).getLength();
      long block = length / attempts;
      for (int attempt = 0; attempt < attempts; attempt++) {
        byte[] bytes = client.fetch(0, 1, attempt * block, block);
        assertThat(Arrays.copyOfRange(bytes, bytes.length - payload.length, bytes.length))
            .as("attempt %d", attempt)
            .isEqualTo(pushed.get(attempt));
      }
      GetStatusReply status = status(server);
      assertThat(status.getPushedBytes()).isEqualTo(length);
      assertThat(status.getSpilledRuns()).isPositive();
      assertThat(status.getSpilledBytes()).isBetween(length - (16 << 20), length);
      assertThat(status.getMemoryPeakBytes()).isLessThanOrEqualTo(16 << 20);
      assertThat(status.getFetchedBytes()).isEqualTo(length);
      assertThat(status.getFetchedFromMemoryBytes()).isLessThan(length);
      assertThat(runFiles()).isNotEmpty();
      control(
          server,
          stub ->
              stub.unregisterShuffles(
                  UnregisterShufflesRequest.newBuilder()
                      .setApplication("app")
                      .addShuffles(0)
                      .build()));
      assertThat(status(server).getLoad().getStoredBytes()).isZero();
      while (!runFiles().isEmpty()) {
        Thread.onSpinWait();
      }
    }
  }

  private List<Path> runFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".run")).toList();
    }
  }

  @Test
  void refusesPushesReportsAndRecoversWhenEveryDiskIsFull() throws Exception {
    ShuffleServerProcess server =
        start("rss.server.disk.capacity", "8m", "rss.server.heartbeat.interval", "100ms");
    coordinator.setState("app", State.LIVE);
    byte[] payload = new byte[1 << 20];
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      SluiceException refusal = null;
      int attempts = 0;
      while (refusal == null && attempts < 100) {
        try {
          client.push(0, 1, attempts++, payload);
        } catch (SluiceException e) {
          refusal = e;
        }
      }
      assertThat(refusal).isNotNull();
      assertThat(refusal.code()).isEqualTo(StatusCode.NO_SPACE);
      while (coordinator.next().getState() != ServerState.UNHEALTHY) {
        Thread.onSpinWait();
      }
      assertThat(http(server, "/readyz")).isEqualTo(503);
      assertThat(http(server, "/healthz")).isEqualTo(200);
      control(
          server,
          stub ->
              stub.unregisterShuffleApplication(
                  UnregisterShuffleApplicationRequest.newBuilder().setApplication("app").build()));
      while (coordinator.next().getState() != ServerState.ACTIVE) {
        Thread.onSpinWait();
      }
      client.push(1, 1, 1, payload);
      assertThat(http(server, "/readyz")).isEqualTo(200);
    }
  }

  @Test
  void aClientThatDoesNotReadDoesNotBlockAStop() throws Exception {
    try (LogLines log = new LogLines(ShuffleServerProcess.class)) {
      ShuffleServerProcess server = start("rss.server.stop.timeout", "1s");
      byte[] payload = new byte[1 << 20];
      try (RawClient client = new RawClient(server.nettyPort(), "app")) {
        for (int attempt = 0; attempt < 8; attempt++) {
          client.push(0, 1, attempt, payload);
        }
        long length = client.open(0, 1, server.epoch()).getPartitions(0).getLength();
        for (int i = 0; i < 20; i++) {
          client.sendFetch(0, 1, 0, Math.min(length, client.hello().getMaxBodyLength()));
        }
        while (status(server).getFetchedBytes() == 0) {
          Thread.onSpinWait();
        }
        server.close();
      }
      assertThat(log.lines()).anyMatch(line -> line.contains("replies to fetches were not sent"));
      assertThat(log.lines()).last().asString().endsWith("stopped memoryUsedBytes=0");
    }
  }

  @Test
  void refusesAndCountsHttpConnectionsAboveTheLimitPerAddress() throws Exception {
    ShuffleServerProcess server = start("rss.server.http.connections.per.peer.max", "2");
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Socket socket = new Socket();
        open.add(socket);
        socket.setSoTimeout(30_000);
        socket.bind(new InetSocketAddress("127.0.0.2", 0));
        socket.connect(new InetSocketAddress("127.0.0.1", server.httpPort()));
      }
      assertThat(new String(open.get(2).getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 503 ")
          .contains("raise rss.server.http.connections.per.peer.max");
      assertThat(metrics(server))
          .contains(
              "sluice_server_http_peer_connections_refused_total 1.0\n",
              "sluice_server_http_connections_refused_total 0.0\n");
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private static String metrics(ShuffleServerProcess server) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
