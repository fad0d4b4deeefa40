package io.sluice.common.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.CallFailure;
import io.sluice.common.net.DirectChannel;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListServersRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections beyond the limits of a gRPC port. */
@Timeout(60)
class RefusedConnectionsTest {
  private static final String REASON =
      "too many connections from 127.0.0.1, limit=1 open=1; to allow more, raise rss.peer.max";

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final List<String> refusals = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Server server;

  @BeforeEach
  void start() throws IOException {
    start(RefusalReply.HTTP2);
  }

  private void start(RefusalReply reply) throws IOException {
    CallDenials denials = new CallDenials(new AuditLog(), System::nanoTime);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor();
    RpcPort.configure(
        builder,
        NioServerSocketChannel.class,
        new AcceptLimit(
            new PeerConnections(1_000, 1, "rss.max", "rss.peer.max"),
            reply,
            (peer, reason) -> refusals.add(reason)),
        new CallBounds(CallLimits.control(), timer, denials));
    server = builder.build().start();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    timer.shutdownNow();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
    open.add(socket);
    socket.setSoTimeout(60_000);
    return socket;
  }

  private void awaitRefusals(int count) {
    while (refusals.size() < count) {
      Thread.onSpinWait();
    }
  }

  /** At most two connections for each call: gRPC's own retries would connect a thousand times. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theStatusOfACallNamesTheLimitAndItsKey(boolean waitForReady) throws Exception {
    connect();
    ManagedChannel channel = ClientTls.OFF.channel("127.0.0.1", server.getPort()).build();
    open.add(channel::shutdownNow);
    CoordinatorGrpc.CoordinatorBlockingStub stub = CoordinatorGrpc.newBlockingStub(channel);

    StatusRuntimeException refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                (waitForReady ? stub.withWaitForReady() : stub)
                    .withDeadlineAfter(50, TimeUnit.SECONDS)
                    .listServers(ListServersRequest.getDefaultInstance()));

    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(CallFailure.describe(refused.getStatus())).contains(REASON);
    // gRPC repeats a call once if it has begun before its connection is refused.
    assertThat(refusals).containsOnly(REASON).hasSizeBetween(1, 2);
  }

  @Test
  void aClientThatUsesTlsNamesThePossibleLimits() throws Exception {
    server.shutdownNow();
    start(RefusalReply.NONE);
    connect();
    ManagedChannel channel =
        DirectChannel.to("127.0.0.1", server.getPort())
            .sslContext(
                GrpcSslContexts.forClient()
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .build())
            .build();
    open.add(channel::shutdownNow);

    StatusRuntimeException refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                CoordinatorGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(50, TimeUnit.SECONDS)
                    .listServers(ListServersRequest.getDefaultInstance()));

    assertThat(CallFailure.describe(refused.getStatus()))
        .contains("before TLS", "rss.server.connections.per.peer.max");
  }

  @Test
  void repliesToABoundedNumberAtATime() throws Exception {
    connect();
    List<Socket> refused = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      refused.add(connect());
    }
    awaitRefusals(70);

    int replies = 0;
    for (Socket socket : refused) {
      String received =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      if (received.contains(REASON)) {
        replies++;
      } else {
        assertThat(received).isEmpty();
      }
    }
    assertThat(replies).isEqualTo(64);
  }
}
