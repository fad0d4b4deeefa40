package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.config.ConfigSet;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The audit log of a coordinator. */
class AuditTest {
  private static final long WAIT_SECONDS = 60;

  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final BlockingQueue<Map<String, String>> lines = new LinkedBlockingQueue<>();
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(
              event.getKeyValuePairs().stream()
                  .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value))));
        }
      };
  private CoordinatorProcess process;
  private ManagedChannel channel;
  private CoordinatorGrpc.CoordinatorBlockingStub client;

  @BeforeEach
  void start() throws IOException {
    listener.start();
    logger.addAppender(listener);
    process =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0",
                    "rss.coordinator.app.expired", "1s",
                    "rss.coordinator.connections.per.peer.max", "3",
                    "rss.coordinator.http.connections.per.peer.max", "4")));
    channel = NettyChannelBuilder.forAddress("127.0.0.1", process.rpcPort()).usePlaintext().build();
    client =
        CoordinatorGrpc.newBlockingStub(channel)
            .withDeadlineAfter(Duration.ofSeconds(3 * WAIT_SECONDS));
  }

  @AfterEach
  void stop() throws InterruptedException {
    logger.detachAppender(listener);
    channel.shutdownNow().awaitTermination(WAIT_SECONDS, TimeUnit.SECONDS);
    process.close();
  }

  private void register(String application, String user) {
    assertThat(
            client.registerApplication(
                RegisterApplicationRequest.newBuilder()
                    .setApplication(application)
                    .setUser(user)
                    .setClientVersion("1")
                    .build()))
        .isNotNull();
  }

  private Map<String, String> next() throws InterruptedException {
    Map<String, String> line = lines.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(line).as("a line of the audit log").isNotNull();
    return line;
  }

  @Test
  void auditsCallerActionPeerAndOutcome() throws Exception {
    register("app", "ann");
    assertThat(next())
        .containsEntry("action", "register")
        .containsEntry("outcome", "OK")
        .containsEntry("application", "app")
        .containsEntry("user", "ann")
        .hasEntrySatisfying("peer", peer -> assertThat(peer).startsWith("127.0.0.1:"));

    register("app", "bob");
    assertThat(next())
        .containsEntry("outcome", "DENIED")
        .containsEntry("user", "bob")
        .hasEntrySatisfying(
            "reason", reason -> assertThat(reason).contains("belongs to another user"));

    assertThat(
            client.registerShuffle(
                RegisterShuffleRequest.newBuilder()
                    .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(7))
                    .setPartitionCount(1)
                    .setReplicas(1)
                    .build()))
        .isNotNull();
    assertThat(next())
        .containsEntry("action", "assign")
        .containsEntry("outcome", "NO_SERVERS")
        .containsEntry("shuffle", "7");

    assertThat(
            client.unregisterApplication(
                UnregisterApplicationRequest.newBuilder().setApplication("app").build()))
        .isNotNull();
    assertThat(next())
        .containsEntry("action", "unregister")
        .containsEntry("outcome", "OK")
        .doesNotContainKey("reason");
  }

  @Test
  void auditsInspectionsOfTheProcess() throws Exception {
    int status =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + process.httpPort() + "/api/v1/threads"))
                    .build(),
                HttpResponse.BodyHandlers.discarding())
            .statusCode();

    assertThat(status).isEqualTo(200);
    assertThat(next())
        .containsEntry("outcome", "OK")
        .containsValue("GET /api/v1/threads")
        .doesNotContainKey("reason");
  }

  @Test
  void auditsExpiredLeases() throws Exception {
    register("app", "ann");
    assertThat(next()).containsEntry("action", "register");

    assertThat(next())
        .containsEntry("action", "expire")
        .containsEntry("application", "app")
        .doesNotContainKey("peer")
        .hasEntrySatisfying(
            "reason",
            reason -> assertThat(reason).startsWith("lease expired, last call of the driver "));
  }

  @Test
  void doesNotAuditReads() {
    assertThat(client.listServers(ListServersRequest.getDefaultInstance())).isNotNull();
    register("app", "ann");

    assertThat(lines).hasSize(1);
  }

  @Test
  void closesConnectionsOverTheLimitAndLogsOncePerSecond() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), process.rpcPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        open.add(socket);
      }
      for (Socket refused : open.subList(3, 20)) {
        assertThat(received(refused)).contains("raise rss.coordinator.connections.per.peer.max");
      }
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    Map<String, String> line = lines.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(line)
        .containsEntry("action", "connect")
        .containsEntry("outcome", "DENIED")
        .containsEntry(
            "reason",
            "gRPC port: too many connections from 127.0.0.1, limit=3 open=3; to allow more, raise"
                + " rss.coordinator.connections.per.peer.max");
    assertThat(lines).as("of seventeen").hasSizeLessThan(16);
  }

  @Test
  void closesHttpConnectionsOverTheLimit() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), process.httpPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        open.add(socket);
      }
      assertThat(received(open.get(4)))
          .startsWith("HTTP/1.1 503 ")
          .contains("raise rss.coordinator.http.connections.per.peer.max");
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
    assertThat(next())
        .containsEntry("outcome", "DENIED")
        .containsEntry(
            "reason",
            "HTTP port: too many connections from 127.0.0.1, limit=4 open=4; to allow more, raise"
                + " rss.coordinator.http.connections.per.peer.max");
  }

  /** Returns everything that the port sent before it closed the connection. */
  private static String received(Socket refused) throws IOException {
    return new String(refused.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }
}
