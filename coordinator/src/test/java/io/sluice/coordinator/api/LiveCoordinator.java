package io.sluice.coordinator.api;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleLoad;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.StoredData;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A coordinator over real sockets, and servers and drivers that send messages of the test. */
final class LiveCoordinator implements AutoCloseable {
  /** Text with HTML, allowed in every free-text field. Pages must show it as text. */
  static final String HOSTILE = "<img src=x onerror=alert(1)>\"'&{{7*7}}";

  private final CoordinatorProcess process;
  private final ManagedChannel channel;
  private final HttpClient http = HttpClient.newHttpClient();

  private LiveCoordinator(CoordinatorProcess process) {
    this.process = process;
    this.channel =
        NettyChannelBuilder.forAddress("127.0.0.1", process.rpcPort()).usePlaintext().build();
  }

  static LiveCoordinator start() throws IOException {
    return start(Map.of());
  }

  /**
   * @param settings read again at a reload, so tests may change them
   */
  static LiveCoordinator start(Map<String, String> settings) throws IOException {
    Supplier<ConfigSet> source =
        () -> {
          Map<String, String> all = new HashMap<>(settings);
          all.put("rss.coordinator.host", "127.0.0.1");
          all.put("rss.rpc.server.port", "0");
          all.put("rss.jetty.http.port", "0");
          return ConfigSet.of(CoordinatorConfig.SCHEMA, all);
        };
    return new LiveCoordinator(CoordinatorProcess.start(source.get(), source));
  }

  int rpcPort() {
    return process.rpcPort();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).build());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + process.httpPort() + path))
        .timeout(Duration.ofSeconds(60));
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Status of a GET with a chosen Host header, which the HTTP client of Java does not support. */
  int statusUnderName(String path, String host, String... headers) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", process.httpPort())) {
      socket.setSoTimeout(60_000);
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: "
              + host
              + "\r\n"
              + String.join("", headers)
              + "Connection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  Set<String> operations() {
    return process.apiOperations();
  }

  CoordinatorBlockingStub client() {
    return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofSeconds(60));
  }

  void server(String host, String disk) {
    client().heartbeat(heartbeat(host).setLoad(load(disk)).build());
  }

  void stored(
      String host, String application, int shuffle, long bytes, int partitions, long largest) {
    client()
        .heartbeat(
            heartbeat(host)
                .setLoad(load(HOSTILE))
                .addApplications(application)
                .setStored(
                    StoredData.newBuilder()
                        .addApplications(
                            ApplicationLoad.newBuilder()
                                .setApplication(application)
                                .setShuffles(1)
                                .setStoredBytes(bytes))
                        .addShuffles(
                            ShuffleLoad.newBuilder()
                                .setShuffle(
                                    ShuffleId.newBuilder()
                                        .setApplication(application)
                                        .setShuffle(shuffle))
                                .setStoredBytes(bytes)
                                .setPartitions(partitions)
                                .setLargestPartitionBytes(largest)))
                .build());
  }

  void application(String name, String user) {
    client()
        .registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setApplication(name)
                .setUser(user)
                .setClientVersion("1")
                .build());
  }

  void denied(String name, String user) {
    application(name, user);
  }

  void fallbacks(String name, int count, String reason) {
    client()
        .renewLease(
            RenewLeaseRequest.newBuilder()
                .setApplication(name)
                .setReport(
                    ApplicationReport.newBuilder()
                        .setFallbackShuffles(count)
                        .setLastFallbackReason(reason))
                .build());
  }

  /** Reports receipts of some shuffles: each has its number as records, twice it as matched. */
  void receipts(String name, int wrong, int... shuffles) {
    RenewLeaseRequest.Builder request = RenewLeaseRequest.newBuilder().setApplication(name);
    for (int shuffle : shuffles) {
      request.addReceipts(
          ShuffleReceipts.newBuilder()
              .setShuffle(shuffle)
              .setRecords(shuffle)
              .setBytes(-1)
              .setMatched(2L * shuffle)
              .setWrong(wrong));
    }
    client().renewLease(request.build());
  }

  /** Reports waits for the disks of a server, by a renewal of the lease. */
  void tasks(String name, String server, long diskWaitMs) {
    client()
        .renewLease(
            RenewLeaseRequest.newBuilder()
                .setApplication(name)
                .setReport(report(server, diskWaitMs))
                .build());
  }

  /** Ends an application without a last report. */
  void end(String name) {
    client()
        .unregisterApplication(
            UnregisterApplicationRequest.newBuilder().setApplication(name).build());
  }

  /** Ends an application with a last report. */
  void end(String name, String server, long diskWaitMs) {
    client()
        .unregisterApplication(
            UnregisterApplicationRequest.newBuilder()
                .setApplication(name)
                .setReport(report(server, diskWaitMs))
                .build());
  }

  private static ApplicationReport report(String server, long diskWaitMs) {
    return ApplicationReport.newBuilder().setTasks(tasks(server, diskWaitMs)).build();
  }

  private static TaskReport tasks(String server, long diskWaitMs) {
    return TaskReport.newBuilder()
        .setPushedBytes(1000)
        .setConcurrentTasks(4)
        .addServers(
            ServerTime.newBuilder()
                .setServer(server)
                .setPushedBytes(1000)
                .setPushWaitMs(diskWaitMs)
                .setDiskWaitMs(diskWaitMs))
        .build();
  }

  void shuffle(String application, int shuffle, int partitions) {
    client()
        .registerShuffle(
            RegisterShuffleRequest.newBuilder()
                .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(shuffle))
                .setPartitionCount(partitions)
                .setReplicas(1)
                .build());
  }

  private static HeartbeatRequest.Builder heartbeat(String host) {
    return HeartbeatRequest.newBuilder()
        .setServer(Servers.id(host, 1))
        .setState(ServerState.ACTIVE)
        .addTags("ssd");
  }

  private static ServerLoad load(String disk) {
    return Servers.idleLoad().toBuilder()
        .clearDisks()
        .addDisks(
            DiskState.newBuilder()
                .setPath(disk)
                .setKind("SSD")
                .setCapacityBytes(1000)
                .setFreeBytes(900)
                .setHealthy(true)
                .setHealth(DiskState.Health.HEALTHY))
        .setPushBytesPerSecond(5)
        .build();
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    process.close();
  }
}
