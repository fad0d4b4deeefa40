package io.sluice.coordinator;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.auth.AuditCalls;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.rpc.CallBounds;
import io.sluice.common.rpc.CallLimits;
import io.sluice.common.rpc.RpcPort;
import io.sluice.coordinator.http.CoordinatorHttp;
import io.sluice.coordinator.service.CallRules;
import io.sluice.coordinator.service.PeerAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The gRPC and HTTP ports of a coordinator and their event loops. Used by the starting thread only.
 */
final class CoordinatorPorts {
  /**
   * Handlers take microseconds and never block: two event loops suffice for thousands of servers.
   */
  private static final int EVENT_LOOPS = 2;

  /**
   * Connections are closed once an hour, so that certificates and addresses are checked again.
   * Calls are short, so gRPC moves them to a new connection without a failure.
   */
  private static final long MAX_CONNECTION_MINUTES = 60;

  /** Longer than the longest call. */
  private static final long CONNECTION_GRACE_SECONDS = 90;

  private static final long CLOSE_WAIT_SECONDS = 5;

  private final CoordinatorPortsConfig config;
  private final ClusterSecurity security;
  private final PortLimits admission;
  private final Deque<Runnable> closers;
  private final EventLoopGroup loops;

  /**
   * Starts the event loops.
   *
   * @param closers shutdown tasks, run from the first to the last; tasks for event loops and ports
   *     are pushed to the front
   */
  CoordinatorPorts(
      CoordinatorPortsConfig config,
      ClusterSecurity security,
      PortLimits admission,
      Deque<Runnable> closers) {
    this.config = config;
    this.security = security;
    this.admission = admission;
    this.closers = closers;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            EVENT_LOOPS,
            new DefaultThreadFactory("coordinator-rpc", true),
            NioIoHandler.newFactory());
    closers.push(
        () ->
            loops
                .shutdownGracefully(0, CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS));
  }

  /** Event loops, shared with calls that this coordinator makes. */
  EventLoopGroup loops() {
    return loops;
  }

  /**
   * Binds the gRPC port and starts to serve.
   *
   * @param signatures verifies and creates signatures for the proofs of callers
   * @return the bound port
   * @throws IOException if the address cannot be bound; the message is one line
   */
  int startRpc(List<BindableService> services, Executor signatures) throws IOException {
    InetSocketAddress address = resolved(config.rpcPort(), CoordinatorPortsConfig.RPC_PORT.name());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor()
            .maxConnectionAge(MAX_CONNECTION_MINUTES, TimeUnit.MINUTES)
            .maxConnectionAgeGrace(CONNECTION_GRACE_SECONDS, TimeUnit.SECONDS)
            .intercept(new PeerAddress())
            .intercept(new AuditCalls(admission.audit()));
    RpcPort.configure(
        builder,
        NioServerSocketChannel.class,
        admission.rpcLimit(security.tls().isPresent()),
        new CallBounds(CallLimits.control(), loops, admission.calls()));
    // gRPC calls interceptors in reverse order: the last one added runs first.
    List<BindableService> all = new ArrayList<>(services);
    all.addAll(
        security.guard(
            builder,
            Set.of(),
            new CallRules(security.openReads(), security.clientTls()::peerName),
            admission.calls(),
            signatures));
    RpcPort.serve(builder, all, admission.calls());
    security.tls().ifPresent(tls -> builder.sslContext(tls.grpcServer()));
    Server server = builder.build();
    try {
      server.start();
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorPortsConfig.RPC_PORT.name(), e);
    }
    closers.push(() -> stop(server));
    return server.getPort();
  }

  /** Binds the HTTP port and starts to serve; see {@link #startRpc}. */
  int startHttp(CoordinatorHttp http) throws IOException {
    InetSocketAddress address =
        resolved(config.httpPort(), CoordinatorPortsConfig.HTTP_PORT.name());
    try {
      http.start(address);
    } catch (IOException e) {
      throw cannotListen(address, CoordinatorPortsConfig.HTTP_PORT.name(), e);
    }
    closers.push(http::close);
    return http.port();
  }

  private InetSocketAddress resolved(int port, String key) throws IOException {
    InetSocketAddress address = config.address(port);
    if (address.isUnresolved()) {
      throw new IOException(
          "coordinator cannot listen for "
              + key
              + ": "
              + CoordinatorPortsConfig.HOST.name()
              + " names an unknown host \""
              + config.host()
              + "\"");
    }
    return address;
  }

  private static IOException cannotListen(
      InetSocketAddress address, String key, IOException cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new IOException(
        "coordinator cannot listen on "
            + PeerConnections.text(address)
            + " ("
            + key
            + "): "
            + root.getMessage(),
        cause);
  }

  private static void stop(Server server) {
    server.shutdown();
    try {
      if (!server.awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow().awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
