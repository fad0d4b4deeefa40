package io.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.metrics.http.HttpTimeouts;
import io.sluice.proto.DiskState;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.server.observe.Latencies;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServerHttpTest {
  private volatile Optional<String> notReady = Optional.empty();
  private volatile GetStatusReply status = GetStatusReply.getDefaultInstance();
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Socket> sockets = new ArrayList<>();
  private ServerHttp http;

  @BeforeEach
  void start() throws IOException {
    http = start(0, HttpTimeouts.DEFAULT);
  }

  private ServerHttp start(int port, HttpTimeouts timeouts) throws IOException {
    return ServerHttp.start(
        new InetSocketAddress("127.0.0.1", port),
        Optional.empty(),
        new AcceptLimit(
            new PeerConnections(256, 64, "rss.max", "rss.peer.max"),
            RefusalReply.HTTP,
            (peer, reason) -> {}),
        timeouts,
        Clock.systemUTC(),
        registry(),
        () -> notReady);
  }

  private CollectorRegistry registry() {
    return ServerRegistry.of(
        new ServerMetrics(() -> status, () -> 2, () -> 5),
        new Latencies(),
        PooledByteBufAllocator.DEFAULT,
        List.of());
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    http.close();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.port() + path))
            .timeout(Duration.ofSeconds(30))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Connects and sends an incomplete request. */
  private Socket slowPeer(ServerHttp endpoint) throws IOException {
    Socket socket = new Socket("127.0.0.1", endpoint.port());
    sockets.add(socket);
    socket.setSoTimeout(30_000);
    socket
        .getOutputStream()
        .write("GET /healthz HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void answersOthersWhileSlowPeersSendTheirRequests() throws Exception {
    for (int i = 0; i < 10; i++) {
      slowPeer(http);
    }
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void closesConnectionsOfSlowPeers() throws Exception {
    assertThat(HttpTimeouts.DEFAULT.requestMs()).isBetween(1, 5_000);
    int hour = 3_600_000;
    try (ServerHttp quick = start(0, new HttpTimeouts(50, hour, hour, hour, hour))) {
      for (int i = 0; i < 10; i++) {
        slowPeer(quick);
      }
      for (Socket socket : sockets) {
        assertThat(ended(socket)).isTrue();
      }
    }
  }

  @Test
  void limitsConnectionsPerAddress() throws Exception {
    for (int i = 0; i < 256; i++) {
      Socket socket = new Socket();
      sockets.add(socket);
      socket.bind(new InetSocketAddress("127.0.0.2", 0));
      socket.connect(new InetSocketAddress("127.0.0.1", http.port()));
    }
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  @Test
  void acceptsOnlyGetAndHead() throws Exception {
    HttpResponse<String> post =
        client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.port() + "/metrics"))
                .POST(HttpRequest.BodyPublishers.ofString("a"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(post.statusCode()).isEqualTo(405);
    assertThat(post.body()).isEqualTo("method not allowed, use GET or HEAD\n");
    HttpResponse<String> head =
        client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.port() + "/healthz"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.headers().firstValue("Content-Length")).contains("3");
    assertThat(head.body()).isEmpty();
  }

  private static boolean ended(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void publishesTheStatus() throws Exception {
    status =
        GetStatusReply.newBuilder()
            .setState(ServerState.ACTIVE)
            .setPushedBytes(1234)
            .setShuffles(3)
            .setMemoryPeakBytes(99)
            .setLoad(
                ServerLoad.newBuilder()
                    .setMemoryUsedBytes(77)
                    .addDisks(
                        DiskState.newBuilder()
                            .setPath("/d1")
                            .setKind("SSD")
                            .setFreeBytes(500)
                            .setHealth(DiskState.Health.SUSPECT)
                            .setQueueDepth(2)
                            .setWrittenBytes(3000)
                            .setWriteNanos(1_500_000_000L)
                            .setHealthy(true)))
            .setLostBytes(11)
            .setDemotedBytes(12)
            .build();
    String page = get("/metrics").body();
    assertThat(page.lines())
        .contains(
            "sluice_server_pushed_bytes_total 1234.0",
            "sluice_server_shuffles 3.0",
            "sluice_server_memory_peak_bytes 99.0",
            "sluice_server_memory_used_bytes 77.0",
            "sluice_server_accepting 1.0",
            "sluice_server_coordinators_answering 2.0",
            "sluice_server_heartbeat_failures_total 5.0",
            "sluice_server_disk_free_bytes{path=\"/d1\",kind=\"SSD\",} 500.0",
            "sluice_server_lost_bytes_total 11.0",
            "sluice_server_demoted_bytes_total 12.0",
            "sluice_server_disk_health{path=\"/d1\",kind=\"SSD\",health=\"SUSPECT\",} 1.0",
            "sluice_server_disk_health{path=\"/d1\",kind=\"SSD\",health=\"LOST\",} 0.0",
            "sluice_server_disk_write_queue{path=\"/d1\",kind=\"SSD\",} 2.0",
            "sluice_server_disk_written_bytes_total{path=\"/d1\",kind=\"SSD\",} 3000.0",
            "sluice_server_disk_write_seconds_total{path=\"/d1\",kind=\"SSD\",} 1.5",
            "sluice_server_disk_healthy{path=\"/d1\",kind=\"SSD\",} 1.0")
        .anyMatch(line -> line.startsWith("jvm_memory_bytes_used"))
        .anyMatch(line -> line.startsWith("sluice_build_info"))
        .contains("sluice_server_push_seconds_count 0.0");
  }

  @Test
  void aDrainingServerAcceptsNothing() throws Exception {
    status = GetStatusReply.newBuilder().setState(ServerState.SERVER_DRAINING).build();
    assertThat(get("/metrics").body()).contains("sluice_server_accepting 0.0\n");
  }

  @Test
  void isHealthyIndependentOfReadiness() throws Exception {
    notReady = Optional.of("no disk can be written");
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    HttpResponse<String> ready = get("/readyz");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).isEqualTo("not ready: no disk can be written\n");
    notReady = Optional.empty();
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void listsPagesOnNotFound() throws Exception {
    HttpResponse<String> response = get("/other");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains("/metrics");
  }

  @Test
  void refusesAPortInUse() {
    assertThatThrownBy(() -> start(http.port(), HttpTimeouts.DEFAULT))
        .isInstanceOf(BindException.class);
  }
}
